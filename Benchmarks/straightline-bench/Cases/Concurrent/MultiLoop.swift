import CurlFloor

extension Case {
    /// What a C programmer would write: easy handles in one multi handle, each added again when it is done, the body
    /// counted and dropped.
    static func multiLoop(_ width: Int, _ url: @escaping Server.Choice = Server.plain) -> Case {
        Case("C loop over a multi handle") { server in
            let loop = try MultiLoopHandle(url(server), width: width)
            return loop.run
        }
    }

    /// The same with the header fields that our requests have beyond libcurl's own: what goes over the wire is the same.
    static func multiLoopOfSameFields(_ width: Int, _ url: @escaping Server.Choice = Server.plain) -> Case {
        Case(sameFieldsName("C loop over a multi handle")) { server in
            let loop = try MultiLoopHandle(url(server), width: width)
            for line in fieldLines { loop.add(field: line) }
            return loop.run
        }.bare
    }
}

private final class MultiLoopHandle {
    private let loop: OpaquePointer

    init(_ url: String, width: Int) throws {
        guard let loop = multi_loop_open(url, width) else { throw Failure("libcurl gives no handle") }
        self.loop = loop
    }

    deinit { multi_loop_close(loop) }

    func add(field line: String) { multi_loop_add_field(loop, line) }

    func run(_ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        let before = multi_loop_bytes(loop)
        let code = multi_loop_run(loop, slots.baseAddress, slots.count)
        guard code == 0 else { throw Failure("the C loop over a multi handle ended with code \(code)") }
        let received = Int(multi_loop_bytes(loop) - before)
        guard received == slots.count * Server.body.utf8.count else {
            throw Failure("the C loop over a multi handle received \(received) bytes")
        }
    }
}

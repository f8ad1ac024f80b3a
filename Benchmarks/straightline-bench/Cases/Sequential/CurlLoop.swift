import CurlFloor

extension Case {
    /// What a C programmer would write: one easy handle, `curl_easy_perform` in a loop, the body counted and dropped.
    static func curlLoop(
        size: Int = Server.body.utf8.count, _ url: @escaping Server.Choice = Server.plain
    ) -> Case {
        Case("C loop over libcurl") { server in
            let loop = try CurlLoopHandle(url(server), size)
            return loop.run
        }
    }
}

private final class CurlLoopHandle {
    private let loop: OpaquePointer
    private let size: Int

    init(_ url: String, _ size: Int) throws {
        self.size = size
        guard let loop = curl_loop_open(url) else { throw Failure("libcurl gives no handle") }
        self.loop = loop
    }

    deinit { curl_loop_close(loop) }

    func run(_ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        let before = curl_loop_bytes(loop)
        let code = curl_loop_run(loop, slots.baseAddress, slots.count)
        guard code == 0 else { throw Failure("the C loop over libcurl ended with code \(code)") }
        let received = Int(curl_loop_bytes(loop) - before)
        guard received == slots.count * size else {
            throw Failure("the C loop over libcurl received \(received) bytes")
        }
    }
}

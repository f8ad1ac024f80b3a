import CurlFloor

extension Case {
    static let discardInC = transferInC("C loop that discards", .transfer_discard) { ($0.largeURL, "") }
    static let toFileInC = transferInC("C loop that writes and syncs", .transfer_to_file) {
        ($0.largeURL, try $0.file("from-c"))
    }
    static let fromFileInC = transferInC("C loop that reads and sends", .transfer_from_file) {
        ($0.uploadURL, try $0.file(Server.largeName))
    }

    private static func transferInC(
        _ name: String, _ kind: TransferKind, place: @escaping @Sendable (Server) throws -> (url: String, path: String)
    ) -> Case {
        Case(name) { server in
            let place = try place(server)
            let loop = try TransferLoopHandle(kind, place.url, place.path)
            return loop.run
        }
    }
}

private final class TransferLoopHandle {
    private let loop: OpaquePointer

    init(_ kind: TransferKind, _ url: String, _ path: String) throws {
        guard let loop = transfer_loop_open(kind, url, path) else { throw Failure("libcurl gives no handle") }
        self.loop = loop
    }

    deinit { transfer_loop_close(loop) }

    func run(_ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        let before = transfer_loop_bytes(loop)
        let code = transfer_loop_run(loop, slots.baseAddress, slots.count)
        guard code == 0 else { throw Failure("the C loop of large bodies ended with code \(code)") }
        let moved = Int(transfer_loop_bytes(loop) - before)
        guard moved == slots.count * Server.largeSize else {
            throw Failure("the C loop of large bodies moved \(moved) bytes")
        }
    }
}

import CurlFloor

extension Case {
    /// No HTTP library at all: write a fixed request, read the answer. What the kernel and the server cost.
    static let socketLoop = Case("C loop over a socket") { server in
        let loop = try SocketLoopHandle(server.port)
        return loop.run
    }
}

private final class SocketLoopHandle {
    private let port: UInt16
    private let socket: CInt

    init(_ port: UInt16) throws {
        self.port = port
        socket = socket_loop_open(port)
        guard socket >= 0 else { throw Failure("nothing listens on port \(port)") }
    }

    deinit { socket_loop_close(socket) }

    func run(_ slots: UnsafeMutableBufferPointer<UInt64>) throws {
        guard socket_loop_run(socket, port, slots.baseAddress, slots.count) == 0 else {
            throw Failure("the C loop over a socket got no answer")
        }
    }
}

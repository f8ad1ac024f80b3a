import HTTPMockServer

/// A reserved port of 127.0.0.1, on which only a server that knows it listens.
final class ReservedPort {
    private let listener: LoopbackListener

    init() throws { listener = try LoopbackListener(binding: .ipv4(port: 0), backlog: nil) }

    var number: Int { listener.endpoint.port }
}

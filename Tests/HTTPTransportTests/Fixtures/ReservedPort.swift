@testable import HTTPMockServer
@testable import HTTPTesting

/// A port of 127.0.0.1 that is kept from being given to anybody else, while a server that is told of it may listen.
final class ReservedPort {
    private let listener: LoopbackListener

    init() throws { listener = try LoopbackListener(binding: .ipv4(port: 0), backlog: nil) }

    var number: Int { listener.endpoint.port }
}

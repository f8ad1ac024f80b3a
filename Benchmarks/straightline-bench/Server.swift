/// The server that is measured against: on a port of the loopback interface, with an answer of 13 bytes at every path.
struct Server: Sendable {
    static let body = "Hello, world!"

    let port: UInt16

    /// Nil if the command line names none.
    init?(_ arguments: Arguments) throws {
        guard arguments.text("port") != nil else { return nil }
        port = try arguments.number("port")
    }

    var url: String { "http://127.0.0.1:\(port)/" }
}

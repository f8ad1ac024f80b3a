/// The server that is measured against: on a port of the loopback interface, with an answer of 13 bytes at every path
/// but those for large bodies.
struct Server: Sendable {
    static let body = "Hello, world!"
    /// A file of `largeSize` bytes in the directory, and its path on the server.
    static let largeName = "large"
    static let largeSize = 100_000_000

    /// One of its URLs.
    typealias Choice = @Sendable (Server) -> String

    static let plain: Choice = { $0.url }

    /// Files of so many bytes, by their names.
    static let sizes = ["1 KiB": 1024, "64 KiB": 65_536, "1 MiB": 1_048_576]
    /// A file of a hundred records in JSON.
    static let recordsName = "records.json"

    let port: UInt16
    /// That of the server that answers as late as the path says: another one, or the same.
    private let slowPort: UInt16
    /// Where files for both sides are, in memory if the system has such a place.
    private let directory: String?

    /// Nil if the command line names none.
    init?(_ arguments: Arguments) throws {
        guard arguments.text("port") != nil else { return nil }
        port = try arguments.number("port")
        slowPort = try arguments.number("slow-port", default: port)
        directory = arguments.text("directory")
    }

    /// The arguments that name it to a child.
    var arguments: [String] { ["--port", String(port)] + (directory.map { ["--directory", $0] } ?? []) }

    var url: String { "http://127.0.0.1:\(port)/" }
    /// Over TLS: with HTTP/1.1 at the next port, and with HTTP/2 too at the one after it. The environment tells, by
    /// SSL_CERT_FILE, whom to trust.
    var secureURL: String { "https://127.0.0.1:\(port + 1)/" }
    var http2URL: String { "https://127.0.0.1:\(port + 2)/" }
    /// The same path over TLS with HTTP/1.1, of which the last byte tells whether the session was resumed: r, or a full
    /// stop.
    var handshakeURL: String { secureURL + "handshake" }
    /// Answers with `headerCount` header fields of its own, `x-field-0` and on.
    var headersURL: String { url + "headers" }
    static let headerCount = 40
    var largeURL: String { url + Self.largeName }
    /// Takes any body.
    var uploadURL: String { url + "upload/large" }

    var recordsURL: String { url + Self.recordsName }
    func url(ofSize size: Int) -> String { "\(url)size-\(size)" }
    /// Takes any body and answers with none.
    func uploadURL(ofSize size: Int) -> String { "\(url)upload/size-\(size)" }
    /// The server under one of as many names as there are numbers. libcurl itself knows where `.localhost` is.
    func url(ofHost number: Int) -> String { "http://host-\(number).localhost:\(port)/" }

    /// Of the server that answers late: after so many microseconds, or after each of two such times in turn.
    func url(after microseconds: [Int]) -> String {
        "http://127.0.0.1:\(slowPort)/" + microseconds.map { String($0) }.joined(separator: ",")
    }

    /// The path of a file in the directory.
    func file(_ name: String) throws -> String {
        guard let directory else { throw Failure("large bodies need a directory: --directory is missing") }
        return "\(directory)/\(name)"
    }
}

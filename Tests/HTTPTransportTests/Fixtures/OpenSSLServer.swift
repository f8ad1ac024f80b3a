import HTTPTesting

/// `openssl s_server`: strict TLS, with alerts. It serves the files of a directory, each a whole HTTP response, one
/// connection after the other, and closes each with close_notify.
final class OpenSSLServer {
    let port: Int
    private let directory: ScratchDirectory
    private let process: ServerProcess

    init(_ identity: Identity, options: [String] = [], response: String = OpenSSLServer.hello) throws {
        guard let openssl = Program.openssl else { throw Program.Failure(description: Needs.opensslAdvice) }
        directory = try ScratchDirectory()
        try directory.write(response, to: "file")
        process = try ServerProcess(
            openssl,
            ["s_server", "-accept", "127.0.0.1:0", "-cert", identity.certificate, "-key", identity.key, "-HTTP"]
                + options,
            in: directory.path, readyAt: "ACCEPT 127.0.0.1:")
        let line = process.greeting.split(separator: "\n").last { $0.hasPrefix("ACCEPT ") }
        port = line?.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    // Before its directory is removed.
    deinit { process.stop() }

    /// The URL of the one file.
    func url(host: String = "localhost") -> String { "https://\(host):\(port)/file" }

    static let hello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"
}

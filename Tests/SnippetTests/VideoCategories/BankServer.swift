import Foundation
import HTTPCore

/// `openssl s_server` with a certificate made for this test, which is also that of the client and the only one
/// accepted. It has one receipt.
final class BankServer {
    /// The PEM file.
    let certificate: String
    let pin: PublicKeyPin
    let url: String
    private let directory: URL
    private let process = Process()
    private let leash = Pipe()
    /// Kept open, because a server that cannot write to it ends.
    private let output = Pipe()

    static var canRun: Bool { (try? run("openssl version"))?.isEmpty == false }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("bank-\(UUID())")
        let receipts = directory.appendingPathComponent("receipts")
        try FileManager.default.createDirectory(at: receipts, withIntermediateDirectories: true)
        try Data(Self.receipt.utf8).write(to: receipts.appendingPathComponent("r-1"))
        certificate = directory.appendingPathComponent("cert.pem").path
        let hash = try Self.run(Self.makeKeys, in: directory)
        pin = try PublicKeyPin(sha256: hash.trimmingCharacters(in: .whitespacesAndNewlines))
        let words = try Self.start(process, leash, output, in: directory)
        let port = try Self.required(words.split(separator: ":").last, words)
        url = "https://localhost:\(port)"
    }

    deinit {
        try? leash.fileHandleForWriting.close()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }

    func clientCertificate() throws -> ClientCertificate {
        let key = directory.appendingPathComponent("key.pem")
        let form = ClientCertificate.Form.pem(
            certificate: try Data(contentsOf: URL(fileURLWithPath: certificate)), key: try Data(contentsOf: key))
        return ClientCertificate(form, hosts: ["localhost"])
    }

    private static let receipt = """
        HTTP/1.1 200 OK\r
        Content-Type: application/json\r
        Connection: close\r
        Content-Length: 28\r
        \r
        {"id": "r-1", "cents": 1250}
        """

    /// A key, its certificate, and the pin on standard output.
    private static let makeKeys = """
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -keyout key.pem -out cert.pem \
            -subj /CN=bank -addext subjectAltName=DNS:localhost 2>/dev/null &&
        openssl pkey -in key.pem -pubout -outform DER | openssl dgst -sha256 -binary | openssl base64
        """

    /// It lives until the other end of its standard input is closed, at the latest by the end of the tests.
    private static let serve = """
        openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -CAfile cert.pem -Verify 1 \
            -verify_return_error -HTTP 2>&1 & server=$!
        exec >/dev/null 2>&1; cat; kill -9 $server; wait
        """

    /// Its output when it listens: `ACCEPT 127.0.0.1:` and the port.
    private static func start(_ process: Process, _ leash: Pipe, _ output: Pipe, in directory: URL) throws -> String {
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", serve]
        process.currentDirectoryURL = directory
        process.standardInput = leash
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var words = ""
        while true {
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure(description: "the server ended: \(words)") }
            words += String(decoding: more, as: UTF8.self)
            let lines = words.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix("ACCEPT ") }) { return String(line) }
        }
    }

    /// Runs a script to its end and returns its output.
    private static func run(_ script: String, in directory: URL? = nil) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        process.currentDirectoryURL = directory
        process.standardOutput = output
        try process.run()
        let words = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: words, as: UTF8.self)
    }

    private static func required<Value>(_ value: Value?, _ words: String) throws -> Value {
        guard let value else { throw Failure(description: "openssl said: \(words)") }
        return value
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}

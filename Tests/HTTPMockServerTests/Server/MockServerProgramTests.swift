import Foundation
import HTTPCore
import HTTPMockServer
import Testing

/// The server as seen by other programs.
@Suite(.enabled(if: Needs.http2, "\(Needs.http2Advice)"), .timeLimit(.minutes(5))) struct MockServerProgramTests {
    private static let curl = Needs.program("curl")
    private static let openssl = Needs.program("openssl")
    private static let nghttp = Needs.program("nghttp")

    private func server() throws -> MockServer {
        try MockServer(security: .tls(), versions: [.http2, .http1_1]) { .text("hello \($0.version)") }
    }

    private func run(_ program: String?, _ arguments: [String]) throws -> (output: String, status: Int32) {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try #require(program))
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
    }

    @Test(.enabled(if: curl != nil, "needs the curl program"), arguments: [true, false])
    func `curl trusts the authority's file and uses both versions`(isHTTP2: Bool) throws {
        let server = try server()
        let file = try #require(server.certificateAuthority).file
        let result = try run(
            Self.curl,
            ["-sS", "--cacert", file, isHTTP2 ? "--http2" : "--http1.1", "-d", "body", server.url("/a")])
        #expect(result.output == (isHTTP2 ? "hello HTTP/2" : "hello HTTP/1.1"))
        #expect(server.requests.map(\.text) == ["body"])
        #expect(server.requests.map { $0.stream != nil } == [isHTTP2])
    }

    @Test(.enabled(if: curl != nil, "needs the curl program"))
    func `curl sends many requests at once on one connection`() throws {
        let server = try server()
        let file = try #require(server.certificateAuthority).file
        let result = try run(
            Self.curl, ["-sS", "-Z", "--cacert", file, "--http2", server.url("/[1-20]")])
        #expect(result.output == String(repeating: "hello HTTP/2", count: 20))
        #expect(server.requestCount == 20)
        #expect(server.connectionCount == 1)
    }

    @Test(.enabled(if: curl != nil, "needs the curl program"))
    func `a client without ALPN gets a version of the server`() throws {
        let (both, other) = (try server(), try MockServer(security: .tls(), versions: [.http2]))
        var tls = MockServer.TLS()
        tls.negotiatesProtocol = false
        let mute = try MockServer(security: .tls(tls), versions: [.http1_1, .http2]) { .text($0.version) }
        func ask(_ server: MockServer, _ options: [String]) throws -> (output: String, status: Int32) {
            let file = try #require(server.certificateAuthority).file
            return try run(Self.curl, ["-sS", "--cacert", file] + options + [server.url])
        }
        #expect(try ask(both, ["--no-alpn"]).output == "hello HTTP/1.1")
        #expect(both.requests.map { $0.tls?.negotiatedProtocol } == [nil])
        #expect(try ask(mute, ["--http2"]).output == "HTTP/1.1")
        #expect(try ask(other, ["--no-alpn"]).status != 0)
        #expect(other.protocolViolations.map(\.kind) == [.malformed])
        #expect(other.requestCount == 0)
    }

    @Test(.enabled(if: openssl != nil, "needs the openssl program: apt-get install openssl"))
    func `openssl verifies the chain and accepts the certificate`() throws {
        let server = try server()
        let file = try #require(server.certificateAuthority).file
        let result = try run(
            Self.openssl,
            [
                "s_client", "-connect", "127.0.0.1:\(server.port)", "-CAfile", file, "-verify_return_error",
                "-verify_ip", "127.0.0.1", "-x509_strict", "-alpn", "http/1.1", "-servername", "localhost",
            ])
        let output = result.output
        #expect(output.contains("Verification: OK"), "\(output)")
        #expect(output.contains("Verified peername: localhost") || output.contains("Verify return code: 0 (ok)"))
        #expect(output.contains("ALPN protocol: http/1.1"))
    }

    @Test(.enabled(if: nghttp != nil, "needs the nghttp program: apt-get install nghttp2-client"))
    func `nghttp is served over prior knowledge`() throws {
        let server = try MockServer(versions: [.http2]) { _ in .text("hello") }
        #expect(try run(Self.nghttp, [server.url("/")]).output == "hello")
        #expect(server.requests.map(\.version) == ["HTTP/2"])
    }
}

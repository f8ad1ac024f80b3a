import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// An invalid response fails as such, and the error names the invalid part.
@Suite(.timeLimit(.minutes(5))) struct BrokenAnswerTests {
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func violation(_ answer: String, inBatch: Bool = false) throws -> ProtocolViolation {
        let server = try MockServer { _ in .raw(answer) }
        let client = try CurlTransport.plain()
        let request = MutableRequest.get(server.url("/")) |> .timeout(.seconds(9))
        let result = inBatch ? client.executeRequests([request])[0] : client.executeRequest(request)
        guard case .failure(.protocolViolation(let violation)) = result else {
            throw Program.Failure(description: "\(result)")
        }
        #expect(server.requestCount == 1)
        return violation
    }

    @Test(arguments: ["5x", "0x5", "x", "", "5 5", "-5", "+5", " 5", "g;a=b", "5\0"], [true, false])
    func `an invalid chunk size is refused`(size: String, inBatch: Bool) throws {
        let violation = try violation(Self.chunked + size + "\r\nhello\r\n0\r\n\r\n", inBatch: inBatch)
        #expect(violation.kind == .framing)
    }

    @Test func `an invalid chunk size is refused in later chunks, too, and shown`() throws {
        let violation = try violation(Self.chunked + "5\r\nhello\r\n5x\r\nhello\r\n0\r\n\r\n")
        #expect(violation.reason.contains("\"5x\""))
    }

    @Test func `a line that is no field and continues none is told as such`() throws {
        let head = try violation("HTTP/1.1 200 OK\r\n X: 1\r\n\r\n")
        // Some versions of libcurl find it first.
        #expect(head.kind == .head && head.reason.contains("(RFC 9112 §5"))
        let trailer = try violation(Self.chunked + "0\r\nx\r\n\r\n")
        #expect(trailer.kind == .framing && !trailer.reason.isEmpty)
    }

    @Test(arguments: ["5", "05", "5;a=b", "5 ;a=\"b\"", "5 \t", "0000000000000005"])
    func `a chunk size with an extension or padding is valid`(size: String) throws {
        let server = try MockServer { _ in .raw(Self.chunked + size + "\r\nhello\r\n0\r\nX-Sum: 1\r\n\r\n") }
        let response = try CurlTransport.plain().send(.get(server.url("/")))
        #expect(try response.text() == "hello")
        #expect(response.trailers["X-Sum"] == "1")
    }

    @Test func `the check of one body does not affect the next`() throws {
        let server = try MockServer { _ in .text("plain") }
        server.enqueue(.raw(Self.chunked + "5\r\nhello\r\n0\r\n\r\n", keepsConnection: true))
        let client = try CurlTransport.plain()
        #expect(try client.send(.get(server.url("/"))).text() == "hello")
        #expect(try client.send(.get(server.url("/"))).text() == "plain")
        #expect(server.connectionCount == 1)
    }

    @Test(arguments: [0, 1 << 20])
    func `a server that requires a certificate and closes is never reported as a broken connection`(bodySize: Int)
        throws
    {
        var tls = MockServer.TLS()
        tls.clientCertificates = .required
        let server = try MockServer(security: .tls(tls)) { _ in .text("in") }
        // It is a race whether the alert is lost with the connection.
        for _ in 0..<20 {
            let client = try CurlTransport.trusting(server)
            let draft = MutableRequest.post(server.url("/")) |> .data(Data(count: bodySize)) |> .timeout(.seconds(9))
            expectTLSFailure(client.executeRequest(draft), .clientCertificate)
        }
        #expect(server.requestCount == 0)
    }

    @Test func `a folded first field line is refused`() throws {
        let violation = try violation("HTTP/1.1 200 OK\r\n folded: x\r\nContent-Length: 5\r\n\r\nhello")
        #expect(violation.kind == .head)
    }

    /// A newer libcurl unfolds it.
    @Test func `a folded Transfer-Encoding is refused, with which chunks could pass for a body, or read`() throws {
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        let server = try MockServer { _ in .raw(answer) }
        let client = try CurlTransport.plain()
        for result in [client.executeRequest(.get(server.url))] + client.executeRequests([.get(server.url)]) {
            switch result {
            case .success(let response):
                #expect(try response.text() == "hello" && !CurlTransport.engineVersion.hasPrefix("7."))
            case .failure(.protocolViolation(let violation)):
                #expect(violation.kind == .head && violation.reason.contains("folded"))
            case .failure(let error): throw error
            }
        }
    }

    @Test func `a connection whose end a folded field announces is not used again`() throws {
        let server = try MockServer { _ in
            .raw("HTTP/1.1 200 OK\r\nConnection:\r\n close\r\nContent-Length: 5\r\n\r\nhello", keepsConnection: true)
        }
        let client = try CurlTransport.plain()
        for _ in 1...2 { #expect(try client.send(.get(server.url("/"))).text() == "hello") }
        #expect(server.connectionCount == 2)
    }

    @Test func `a zero byte in a trailer breaks the framing`() throws {
        let violation = try violation(Self.chunked + "5\r\nhello\r\n0\r\nX-A: b\0c\r\n\r\n")
        #expect(violation.kind == .framing)
    }

    @Test func `a zero byte in a field breaks the head`() throws {
        let violation = try violation("HTTP/1.1 200 OK\r\nX-A: b\0c\r\nContent-Length: 5\r\n\r\nhello")
        #expect(violation.kind == .head)
    }

    @Test func `a body that does not match its coding is reported by its kind`() throws {
        let violation = try violation("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello")
        #expect(violation.kind == .contentCoding)
    }
}

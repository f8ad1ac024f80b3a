#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HTTPCore
import HTTPMockServer
import Testing

@testable import HTTPURLSession

/// The meaning of the engine's codes and messages. On Apple's systems the codes alone count.
@Suite struct SessionFailureTests {
    @Test(
        arguments: [
            ("Could not resolve host: ssl.certificate.example", .noAddress(isProxy: false)),
            ("Could not resolve proxy: tls.example", .noAddress(isProxy: true)),
            ("Failed to connect to ssl.chunk.example port 443 after 1 ms: Couldn't connect to server", .unreachable),
            ("Connection timed out after 300001 milliseconds", .timedOut),
            ("CONNECT tunnel failed, response 403", .proxy),
            ("Received HTTP code 407 from proxy after CONNECT", .proxy),
            ("Empty reply from server", .closed), ("Recv failure: Connection reset by peer", .closed),
            ("Send failure: Broken pipe", .broken), ("transfer closed with 45 bytes remaining to read", .truncated),
            ("OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading, errno 0", .truncated),
            (
                "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
                .tls(.clientCertificate)
            ),
            ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to revoked.example:443 ", .tls(.handshake)),
            ("OpenSSL/3.0.19: error:0A000410:SSL routines::sslv3 alert handshake failure", .tls(.handshake)),
            ("TLS connect error: error:0A000086:SSL routines::certificate verify failed", .tls(.handshake)),
            ("SSL certificate problem: certificate has expired", .tls(.expired)),
            ("SSL certificate problem: certificate is not yet valid", .tls(.notYetValid)),
            ("SSL certificate problem: certificate revoked", .tls(.revoked)),
            ("SSL certificate problem: unable to get local issuer certificate", .tls(.untrusted)),
            (
                "SSL: no alternative certificate subject name matches target host name 'expired.example'",
                .tls(.wrongHost)
            ),
            ("Illegal or missing hexadecimal sequence in chunked-encoding", .violation(.framing)),
            ("Header without colon", .violation(.head)), ("Nul byte in header", .violation(.head)),
            ("Failed writing header", .violation(.head)),
            ("Received HTTP/0.9 when not allowed", .violation(.head)),
            ("Error while processing content unencoding: incorrect header check", .violation(.contentCoding)),
            ("HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", .violation(.frames)),
            ("HTTP/2 stream 1 was not closed cleanly before end of the underlying stream", .truncated),
            ("HTTP/2 stream 1 was not closed cleanly: INTERNAL_ERROR (err 2)", .broken),
            ("HTTP/2 stream 1 reset by server (error 0x8 CANCEL)", .broken),
            ("Error in the HTTP2 framing layer", .closed),
            ("HTTP/2 stream 1 was not closed cleanly: ENHANCE_YOUR_CALM (err 11)", .tooManyRequests),
            ("Too large response headers: 307547 > 307200", .headTooLarge),
            ("Unrecognized content encoding type. libcurl understands deflate, gzip", .unknownCoding),
            ("error setting certificate file: /etc/ssl/certs/ca-certificates.crt", .tls(.badConfiguration)),
            ("Unsupported proxy syntax in '::': Bad hostname", .unusableProxy),
            ("Failed reading the chunked-encoded stream", .bytesBehindCoding),
            ("Something else", nil),
        ] as [(String, SessionFailure.Meaning?)])
    func `the engine's message tells what the code does not`(message: String, meaning: SessionFailure.Meaning?) {
        #expect(SessionFailure(code: .unknown, message: message).meaning == meaning)
    }

    @Test func `after one address refused and another answered, a later failure is not a refused connection`() {
        func meaning(_ message: String) -> SessionFailure.Meaning? {
            SessionFailure(code: .cannotConnectToHost, message: message).meaning
        }
        #expect(meaning("Failed to connect to localhost port 1 after 0 ms: Couldn't connect to server") == .refused)
        #expect(meaning("Empty reply from server") == .closed)
        #expect(meaning("SSL certificate problem: certificate has expired") == .tls(.expired))
        #expect(meaning("words of another system") == .refused)
    }

    @Test(
        arguments: [
            (.cannotFindHost, .noAddress(isProxy: false)), (.cannotConnectToHost, .refused),
            (.notConnectedToInternet, .unreachable), (.timedOut, .timedOut), (.networkConnectionLost, .closed),
            (.badServerResponse, .closed), (.requestBodyStreamExhausted, .closed),
            (.cannotParseResponse, .violation(.other)),
            (.httpTooManyRedirects, .violation(.other)),
            (.dataLengthExceedsMaximum, .violation(.other)), (.secureConnectionFailed, .tls(.handshake)),
            (.serverCertificateHasBadDate, .tls(.expired)), (.serverCertificateUntrusted, .tls(.untrusted)),
            (.clientCertificateRequired, .tls(.clientCertificate)), (.badURL, .unusableURL), (.cancelled, .cancelled),
            (.fileDoesNotExist, .unreadableBody), (.unknown, nil),
        ] as [(URLError.Code, SessionFailure.Meaning?)])
    func `without such a message the code counts`(code: URLError.Code, meaning: SessionFailure.Meaning?) {
        #expect(SessionFailure(code: code, message: "anything").meaning == meaning)
    }

    @Test func `CFNetwork's own errors about a proxy are told as such`() {
        func meaning(_ code: Int, _ domain: String = "kCFErrorDomainCFNetwork") -> SessionFailure.Meaning? {
            SessionFailure(NSError(domain: domain, code: code)).meaning
        }
        #expect((306...311).allSatisfy { meaning($0) == .proxy })
        #expect(meaning(305) == nil && meaning(312) == nil && meaning(310, "another") == nil)
    }

    @Test func `an error names the host, the phase and the invalid value`() throws {
        let record = CallRecord(try Request(.post("http://h.example:81/x") |> .text("body")))
        func error(_ message: String, _ code: URLError.Code = .unknown) -> HTTPError {
            SessionFailure(code: code, message: message).error(record, head: nil, received: 0)
        }
        guard case .resolution(let proxy) = error("Could not resolve proxy: p.example") else { return unexpected() }
        #expect(proxy.host == "p.example" && proxy.isProxy && proxy.record.phase == .resolving)
        guard case .resolution(let host) = error("Could not resolve host: h.example") else { return unexpected() }
        #expect(host.host == "h.example" && !host.isProxy)
        let foreign = CallRecord(try Request(.get("http://bücher.example:81/")))
        let lookup = SessionFailure(code: .unknown, message: "Could not resolve host: bücher.example")
        guard case .resolution(let name) = lookup.error(foreign, head: nil, received: 0) else { return unexpected() }
        #expect(name.host == "xn--bcher-kva.example")
        guard case .connection(let refused) = error("Failed to connect to h.example port 81", .cannotConnectToHost)
        else { return unexpected() }
        #expect(refused.reason == .refused && !refused.mayHaveBeenProcessed && refused.record.phase == .connecting)
        guard case .limitExceeded(let head) = error("Too large response headers: 5 > 4") else { return unexpected() }
        #expect(head.limit == .header && head.value == 4)
        guard case .connection(let sent) = error("Send failure: Broken pipe") else { return unexpected() }
        #expect(sent.reason == .broken && sent.mayHaveBeenProcessed)
    }

    @Test(arguments: [URLError.Code.timedOut, .cannotConnectToHost, .notConnectedToInternet])
    func `what the code says of a connection does not hold once there was one`(code: URLError.Code) throws {
        func connection(head: ResponseHead?, sent: Int64, mayBeSent: Bool = false) throws -> ConnectionFailure {
            var metrics = Metrics()
            metrics.bytesSent = sent
            let record = CallRecord(try Request(.get("http://h.example/")), phase: .receiving, metrics: metrics)
            let failure = SessionFailure(code: code, message: "anything", mayBeSent: mayBeSent)
            let error = failure.error(record, head: head, received: 0)
            guard case .connection(let failure) = error else { throw error }
            return failure
        }
        for failure in [
            try connection(head: ResponseHead(status: 200, headers: [:]), sent: 0), try connection(head: nil, sent: 4),
            // A request without a body, of which Apple's systems report nothing while it is sent.
            try connection(head: nil, sent: 0, mayBeSent: true),
        ] {
            #expect(failure.reason == .broken && failure.mayHaveBeenProcessed && failure.record.phase == .receiving)
        }
    }

    /// A field without a space after its colon, for example.
    @Test func `of a refused head it is said that it may be legal`() throws {
        let record = CallRecord(try Request(.get("http://h.example/")))
        let error = SessionFailure(code: .unknown, message: "Failed writing header")
            .error(record, head: nil, received: 0)
        guard case .protocolViolation(let violation) = error else { return unexpected() }
        #expect(violation.kind == .head)
        #expect(violation.reason == "Failed writing header")
        #expect("\(error)".contains("Failed writing header; URLSession on Linux reports this for some legal heads"))
        #expect(!"\(error)".contains("whoever runs the server"))
    }

    /// Another attempt would end alike, so it is no connection failure, which `.retry()` repeats.
    @Test func `of a gzip body with several members it is said that the engine takes one`() throws {
        let record = CallRecord(try Request(.get("http://h.example/")))
        let failure = SessionFailure(code: .unknown, message: "Failed writing received data to disk/application")
        let head = try ResponseHead(status: 200, headers: ["Content-Encoding": "gzip"])
        guard case .unsupported(let unsupported) = failure.error(record, head: head, received: 4) else {
            return unexpected()
        }
        #expect(unsupported.feature == "the body of http://h.example/ in the Content-Encoding \"gzip\"")
        #expect(unsupported.reason.hasPrefix("the server has answered, but "))
        #expect(unsupported.reason.contains("another member of gzip"))
        let plain = try ResponseHead(status: 200, headers: [:])
        guard case .connection(let lost) = failure.error(record, head: plain, received: 4) else { return unexpected() }
        #expect(lost.reason == .other)
    }

    @Test(
        arguments: [
            "SSL certificate problem: unable to get local issuer certificate",
            "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
        ])
    func `advice about certificates names the transport that takes it`(message: String) throws {
        let record = CallRecord(try Request(.get("https://h.example/")))
        let error = SessionFailure(code: .unknown, message: message).error(record, head: nil, received: 0)
        #expect("\(error)".contains("TLSConfiguration") && "\(error)".contains("CurlTransport"), "\(error)")
    }

    private func unexpected() { Issue.record("an error of another kind") }
}
#endif

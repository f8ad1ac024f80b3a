import TestSupport
import HTTPSupport

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import HTTPURLSession
import Testing

/// Misbehaving servers, over real sockets.
@Suite(.timeLimit(.minutes(5))) struct SessionFaultTests {
    /// A short name for the kind of an error.
    private func kind(_ error: HTTPError) -> String {
        switch error {
        case .connection(let failure): "\(failure.reason)"
        case .tls(let failure): "tls \(failure.reason)"
        case .truncatedBody(let failure): "truncated \(failure.reason)"
        case .limitExceeded(let failure): "limit \(failure.limit)"
        case .protocolViolation(let failure): "violation \(failure.kind)"
        case .unsupported: "unsupported"
        case .resolution: "resolution"
        default: "\(error)"
        }
    }

    private func error(_ draft: MutableRequest) throws -> HTTPError {
        try URLSessionTransport().executeRequest(draft |> .idleTimeout(.seconds(10))).error()
    }

    @Test(
        arguments: [
            (.close(.beforeHead), "closedBeforeResponse"), (.reset(.beforeHead), "closedBeforeResponse"),
            (.reset(.midHead), "closedBeforeResponse"), (.reset(.midBody(after: 10)), "broken"),
            (.close(.midBody(after: 10)), "truncated contentLength(expected: 1000)"), (.garbage, "violation head"),
        ] as [(MockFault, String)])
    func `a fault of a server is an error of its kind`(fault: MockFault, expected: String) throws {
        let server = try MockServer { _ in .fault(fault) }
        for draft in [MutableRequest.get(server.url("/")), .post(server.url("/")) |> .text("x")] {
            let error = try error(draft)
            #expect(kind(error) == expected, "\(error)")
            #expect(error.record?.authority == "127.0.0.1:\(server.port)")
        }
        #expect(server.requests.map(\.text) == ["", "x"])
    }

    @Test(
        arguments: [
            ("X: a\u{0}b\r\nContent-Length: 0\r\n\r\n", "violation head"),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\nhelloXX", "violation framing"),
            ("Transfer-Encoding: chunked\r\n\r\n99999999999999999999\r\n", "violation framing"),
            ("Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "truncated chunked"),
            ("Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", "violation contentCoding"),
            ("Content-Encoding: unheard-of\r\nContent-Length: 5\r\n\r\nhello", "unsupported"),
            ("X: " + String(repeating: "a", count: 150_000) + "\r\n\r\n", "limit headerLine"),
        ])
    func `an unreadable response is an error of its kind`(answer: String, expected: String) throws {
        let server = try MockServer { _ in .raw("HTTP/1.1 200 OK\r\n" + answer) }
        let error = try error(.get(server.url("/")))
        #expect(kind(error) == expected, "\(error)")
    }

    @Test func `a redirect whose body breaks off is a broken connection, and is not followed`() throws {
        let server = try MockServer { _ in
            .text(String(repeating: "x", count: 100), status: .found).header("Location", "/there")
                .failing(.close(.midBody(after: 5)))
        }
        let error = try error(.get(server.url("/")))
        #expect(kind(error) == "broken", "\(error)")
        #expect(server.requests.map(\.path) == ["/"])
    }

    @Test func `a server that closes during an upload breaks the connection`() throws {
        let server = try MockServer { _ in .text("ok") }
        server.enqueueConnection(.close)
        let error = try error(.post(server.url("/")) |> .text(String(repeating: "x", count: 8 << 20)))
        #expect(["broken", "closedBeforeResponse"].contains(kind(error)), "\(error)")
        guard case .connection(let failure) = error else { throw error }
        #expect(failure.mayHaveBeenProcessed)
    }

    @Test func `a missing server, missing TLS and an untrusted certificate are distinguished`() throws {
        let port = try MockServer { _ in .text("ok") }.port
        let refused = try error(.get("http://127.0.0.1:\(port)/"))
        #expect(kind(refused) == "refused" && refused.record?.phase == .connecting, "\(refused)")
        let server = try MockServer(security: .tls()) { _ in .text("ok") }
        let untrusted = try error(.get(server.url("/")))
        #expect(kind(untrusted) == "tls untrusted" && untrusted.record?.phase == .securing, "\(untrusted)")
        server.enqueueConnection(.failHandshake)
        let handshake = try error(.get(server.url("/")))
        #expect(kind(handshake) == "tls handshake", "\(handshake)")
        #expect(server.requestCount == 0)
    }

    @Test func `Switching Protocols is a protocol violation, and nothing after it is read`() throws {
        let endless = String(repeating: "x", count: 4 << 20)
        let server = try MockServer { _ in .raw("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n" + endless) }
        let taken = Locked(0)
        let sink = BodyDestination.stream { _ in
            BodySink(write: { bytes in taken.withLock { $0 += bytes.count } })
        }
        for destination in [BodyDestination.memory, sink, .discard] {
            let error = try error(.get(server.url("/")) |> .destination(destination))
            guard case .protocolViolation(let failure) = error else { throw error }
            #expect(failure.reason.contains("101"))
        }
        #expect(taken.withLock { $0 } == 0)
    }

    @Test func `interim heads count against the limit of the head`() throws {
        let interim = "HTTP/1.1 103 Early Hints\r\nLink: </" + String(repeating: "a", count: 1000) + ">\r\n\r\n"
        let server = try MockServer { _ in
            .raw(String(repeating: interim, count: 10) + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
        #expect(kind(try error(.get(server.url("/")) |> .headerLimit(5000))) == "limit header")
        #expect(try URLSessionTransport().send(.get(server.url("/"))).text() == "ok")
    }

    @Test(arguments: [("Accept-Encoding", "identity"), ("Range", "bytes=0-99")])
    func `a body requested undecoded is not decoded but refused`(name: String, value: String) throws {
        let coded: [UInt8] = [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 207, 6, 0, 71, 221, 220, 121, 2, 0, 0, 0]
        let server = try MockServer { request in
            request.path == "/plain" ? .text("ok") : MockResponse.data(coded).header("Content-Encoding", "gzip")
        }
        #expect(try URLSessionTransport().send(.get(server.url("/"))).text() == "ok", "by default it is decoded")
        let draft = MutableRequest.get(server.url("/")) |> .header(name, value)
        guard case .unsupported(let failure) = try error(draft) else { throw try error(draft) }
        #expect(failure.feature.contains("gzip") && failure.reason.contains("CurlTransport"))
        let plain = try URLSessionTransport().send(.get(server.url("/plain")) |> .header(name, value))
        #expect(try plain.text() == "ok")
        #expect(server.requests.dropFirst().map { $0.headers["Accept-Encoding"] }.allSatisfy { $0 == "identity" })
        let curl = try CurlTransport().send(draft |> .header("Accept-Encoding", "identity"))
        #expect(Array(curl.body) == coded)
    }

    /// What `text` is in gzip.
    private func gzip(_ text: String) throws -> [UInt8] {
        let server = try MockServer { _ in .text("ok") }
        _ = try CurlTransport().send(.post(server.url) |> .text(text) |> .compressed())
        return try server.takeRequest().body
    }

    /// Another attempt would end alike, and the server has done nothing wrong.
    @Test(arguments: [HTTPStatus.ok, .found], [false, true])
    func `of a gzip body with several members it is said that the engine takes one`(
        status: HTTPStatus, inChunks: Bool
    ) throws {
        let coded = try gzip("one") + gzip("two")
        let server = try MockServer { _ in
            let answer = MockResponse.data(coded, status: status).header("Content-Encoding", "gzip")
            return inChunks ? answer.framed(.chunked()) : answer
        }
        let error = try error(.get(server.url("/")))
        guard case .unsupported(let failure) = error else { throw error }
        #expect(failure.feature.contains("Content-Encoding"))
        #expect(failure.reason.contains("another member of gzip") && failure.reason.contains("has answered"))
        #expect(server.requestCount == 1)
    }

    @Test(arguments: [RequestStep.header("Range", "bytes=5-"), .expansionLimit(10)])
    func `a refusal in a coding that was not asked for keeps its status`(step: RequestStep) throws {
        let coded = try gzip("busy")
        for status in [HTTPStatus(404), 416, 503] {
            let server = try MockServer { _ in
                MockResponse.data(coded, status: status).header("Content-Encoding", "gzip")
            }
            let response = try URLSessionTransport().send(.get(server.url("/")) |> step)
            #expect(response.status == status && response.body == Data("busy".utf8))
            #expect(try server.takeRequest().headers["Accept-Encoding"] == "identity")
        }
        let empty = try MockServer { _ in .data([]).header("Content-Encoding", "gzip") }
        #expect(try URLSessionTransport().send(.get(empty.url("/")) |> step).body.isEmpty)
    }

    @Test(arguments: [false, true]) func `a refusal that expands too much is stopped`(inChunks: Bool) throws {
        let coded = try gzip(String(repeating: "x", count: 1 << 20))
        let server = try MockServer { _ in
            let answer = MockResponse.data(coded, status: 503).header("Content-Encoding", "gzip")
            return inChunks ? answer.framed(.chunked()) : answer
        }
        let error = try error(.get(server.url("/")) |> .expansionLimit(10))
        guard case .limitExceeded(let failure) = error else { throw error }
        #expect(failure.limit == .expansion && failure.value == 10)
        let plain = try URLSessionTransport().send(.get(server.url("/")))
        #expect(plain.status == 503 && plain.body.count == 1 << 20)
    }

    @Test func `of a coded body that is cut short the coded bytes are counted`() throws {
        let coded = try gzip(String(repeating: "x", count: 1 << 20))
        let server = try MockServer { _ in
            .data(coded).header("Content-Encoding", "gzip").failing(.close(.midBody(after: coded.count - 7)))
        }
        let error = try error(.get(server.url("/")))
        guard case .truncatedBody(let failure) = error else { throw error }
        #expect(failure.reason == .contentLength(expected: Int64(coded.count)))
        #expect(failure.received == Int64(coded.count - 7))
    }

    @Test func `of a URL that Foundation does not take the characters are named`() throws {
        let server = try MockServer { _ in .text("ok") }
        let error = try error(.get(server.url + "/b?filter[name]=x"))
        guard case .unsupported(let unsupported) = error else { throw error }
        #expect(unsupported.reason.hasSuffix("percent-encode [ and ]"), "\(error)")
        #expect(server.connectionCount == 0)
    }

    /// `.unsupported` says that nothing was sent.
    @Test(
        arguments: [
            ("/b?filter[name]=x", "percent-encode [ and ]"), ("/b?a=%zz", "percent-encode %"),
            ("http://[::1]:1/", "refuses it"),
        ])
    func `a redirect to what cannot be sent is the failure of a redirect`(location: String, words: String) throws {
        let server = try MockServer { _ in .text("", status: .seeOther).header("Location", location) }
        let error = try error(.post(server.url("/a")) |> .text("order"))
        guard case .redirect(let failure) = error else { throw error }
        #expect(failure.status == .seeOther && failure.location?.string.hasSuffix(location) == true)
        #expect(failure.record.redirects.map(\.status) == [.seeOther])
        #expect("\(error)".contains(words) && !"\(error)".contains("not sent"), "\(error)")
        #expect(server.requests.map(\.text) == ["order"])
    }

    @Test func `a proxy of the environment that refuses is not told as the server`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try callThroughProxies() } }
    }

    @Test func `https through a proxy of HTTP is refused, since its answer would be taken for the server's`() async {
        await #expect(processExitsWith: .success) { recordingErrors { try callThroughTunnel() } }
    }

    @Test func `without kept connections an unsolicited response answers no request`() throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let unasked = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        let server = try MockServer { _ in
            MockResponse.raw(answer + unasked, keepsConnection: true)
                .failing(.trickle(bytes: answer.utf8.count, every: .milliseconds(20)))
        }
        let client = try URLSessionTransport(.ephemeral, keepsConnections: false)
        for number in 1...3 {
            #expect(try client.send(.get(server.url("/"))).text() == "ok")
            try server.wait(for: .endOfConnection(number))
        }
        #expect(server.requests.map(\.connection) == [1, 2, 3])
    }
}

/// URLSession on Linux takes its proxies from the environment of the process.
private func callThroughProxies() throws {
    for name in ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] { unsetenv(name) }
    let port = try MockServer { _ in .text("ok") }.port
    setenv("http_proxy", "http://127.0.0.1:\(port)", 1)
    let refused = try URLSessionTransport().executeRequest(.post("http://target.invalid/") |> .text("x")).error()
    guard case .connection(let failure) = refused else { throw refused }
    #expect(failure.reason == .proxy && !failure.mayHaveBeenProcessed)
    #expect(failure.record.proxy == "127.0.0.1:\(port)")
    #expect("\(refused)".contains("the proxy 127.0.0.1:\(port) did not open a connection"), "\(refused)")
    setenv("http_proxy", "http://user:secret@[garbage", 1)
    let malformed = try URLSessionTransport().executeRequest(.post("http://target.invalid/") |> .text("x")).error()
    guard case .unsupported(let unsupported) = malformed else { throw malformed }
    #expect(unsupported.feature == "the proxy of the environment" && !"\(malformed)".contains("secret"))
}

/// The proxy would answer with fields of its own before there is a server.
private func callThroughTunnel() throws {
    for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
    let proxy = try MockServer { _ in .text("") }
    let client = URLSessionTransport()
    for scheme in ["http", "https"] {
        setenv("https_proxy", "\(scheme)://127.0.0.1:\(proxy.port)", 1)
        let error = try client.executeRequest(.get("https://target.invalid/")).error()
        guard case .unsupported(let unsupported) = error else { throw error }
        #expect(unsupported.feature == "https through the proxy 127.0.0.1:\(proxy.port)")
        #expect(unsupported.reason.contains("use CurlTransport"))
    }
    #expect(proxy.connectionCount == 0)
    proxy.enqueueConnection(.close)
    setenv("https_proxy", "socks5h://127.0.0.1:\(proxy.port)", 1)
    let socks = try client.executeRequest(.get("https://target.invalid/")).error()
    guard case .connection(let failure) = socks else { throw socks }
    #expect(failure.reason == .proxy && proxy.connectionCount == 1, "\(socks)")
}
#endif

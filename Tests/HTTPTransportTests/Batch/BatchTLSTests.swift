import TestSupport
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPSupport
import Testing

/// Many requests over TLS, and over one HTTP/2 connection.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct BatchTLSTests {
    @Test func `over HTTP/2 all requests share one connection`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2, origin: MockServer { .text($0.target) })
        let client = try CurlTransport.forTests()
        let drafts = (0..<60).map { MutableRequest.get(server.url("/\($0)")) }
        let responses = client.executeRequests(drafts, maxConcurrent: 30).compactMap(\.response)
        #expect(responses.map(\.version) == Array(repeating: .http2, count: 60))
        #expect(try responses.map { try $0.text() } == (0..<60).map { "/\($0)" })
        #expect(Set(responses.map(\.metrics.localPort)).count == 1)
        #expect(Set(server.origin.requests.map { $0.headers["X-Protocol"] }) == ["HTTP/2.0"])
    }

    @Test func `bodies of many sizes are transferred over one connection`() throws {
        let server = try NginxServer(.good, listening: .tlsWithHTTP2, origin: MockServer { .data($0.body) })
        let drafts = (0..<24).map { index in
            MutableRequest.post(server.url("/\(index)"))
                |> .data(.init([UInt8](repeating: UInt8(index), count: index * 20_000)))
        }
        let results = try CurlTransport.forTests().executeRequests(drafts)
        for (index, result) in results.enumerated() {
            let body = try result.get().body
            #expect(body.count == index * 20_000 && body.allSatisfy { $0 == UInt8(index) })
        }
    }

    @Test func `over HTTP/1.1 TLS requests have a connection each, which is reused`() throws {
        let server = try NginxServer(.good, origin: MockServer { .text($0.target) })
        let client = try CurlTransport.forTests()
        let drafts = (0..<40).map { MutableRequest.get(server.url("/\($0)")) }
        let responses = client.executeRequests(drafts, maxConcurrent: 4).compactMap(\.response)
        #expect(try responses.map { try $0.text() } == (0..<40).map { "/\($0)" })
        #expect((1...4).contains(Set(responses.map(\.metrics.localPort)).count))
        #expect(responses.count(where: \.metrics.isConnectionReused) >= 36)
    }

    @Test func `certificates are checked for each host, and a bad one fails its own requests`() throws {
        let good = try NginxServer(.good)
        let bad = try NginxServer(.selfSigned)
        let results = try CurlTransport.forTests().executeRequests([
            .get(good.url("/a")), .post(bad.url("/b")) |> .text("secret"), .get(good.url("/c")),
        ])
        #expect(results.map { $0.response?.status } == [.ok, nil, .ok])
        expectTLSFailure(results[1], .untrusted, saying: "localhost:\(bad.port)")
        #expect(bad.origin.requestCount == 0)
    }

    @Test func `a pin is checked at the target of a redirect`() throws {
        let pinned = try NginxServer(.good)
        let target = pinned.url("/there")
        let server = try MockServer { _ in .redirect(to: target) }
        let client = try CurlTransport.forTests { $0.tls.pins = ["localhost": [try Identity.second.pin()]] }
        let results = client.executeRequests([.get(server.url("/")), .get(server.url("/"))])
        for result in results { expectTLSFailure(result, .wrongPin, saying: "localhost") }
        #expect(pinned.origin.requestCount == 0)
    }

    @Test(arguments: [true, false])
    func `the end of a body without a length is checked even on a connection opened by another request`(
        isCut: Bool
    ) throws {
        let isFirstDone = Signal()
        let origin = try MockServer { request in
            if request.path == "/b" { _ = isFirstDone.wait() }
            return request.path == "/open" ? MockResponse(body: Array("words".utf8), framing: .untilClose) : .text("ok")
        }
        let server = try NginxServer(
            .good, settings: ["chunked_transfer_encoding off", "proxy_buffering off"], origin: origin)
        let relay = try CuttingRelay(to: server.port)
        let base = "https://localhost:\(isCut ? relay.port : server.port)"
        let client = try CurlTransport.forTests()
        client.executeRequests([try Request(.get(base + "/a")), try Request(.get(base + "/b"))]) { index, _ in
            if index == 0 { isFirstDone.fire() }
        }
        // It runs in the transfer that ended last, on the connection that was opened first.
        let result = try #require(client.executeRequests([.get(base + "/open")]).first)
        guard isCut else {
            let response = try result.get()
            #expect(try response.text() == "words")
            #expect(response.metrics.isConnectionReused)
            return
        }
        guard case .truncatedBody(let failure)? = result.error else { throw Unexpected(result) }
        #expect(failure.reason == .missingCloseNotify)
        #expect(failure.record.metrics.isConnectionReused == true)
    }
}

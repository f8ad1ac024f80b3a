import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

/// TLS connections in the course of calls: reuse, metrics and redirects.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct TLSConnectionTests {
    @Test func `the second request uses the first one's connection`() throws {
        let server = try NginxServer(.good)
        let client = try CurlTransport.forTests()
        let first = try client.send(.get(server.url("/1"))).metrics
        let second = try client.send(.get(server.url("/2"))).metrics
        #expect(!first.isConnectionReused)
        #expect(second.isConnectionReused)
        #expect(first.localPort == second.localPort)
        #expect(server.origin.requests.map(\.target) == ["/1", "/2"])
    }

    @Test func `the handshake is timed between the connection and the response`() throws {
        let server = try NginxServer(.good)
        let timings = try CurlTransport.forTests().send(.get(server.url())).metrics.timings
        #expect(timings.connected > .zero)
        #expect(timings.secured > timings.connected)
        #expect(timings.ready >= timings.secured)
        #expect(timings.firstByte > timings.ready)
        #expect(timings.complete >= timings.firstByte)
    }

    @Test func `a redirect from https to http is refused and the http server sees nothing`() throws {
        let server = try NginxServer(.good)
        let plain = try MockServer { _ in .text("in the clear") }
        server.origin.enqueue(.redirect(to: plain.url("/next")))
        let result = try CurlTransport.forTests().executeRequest(.get(server.url()) |> .bearer("t0p"))
        guard case .failure(.redirect(let failure)) = result else {
            Issue.record("expected a redirect failure, got \(result)")
            return
        }
        #expect(failure.reason == .insecure)
        #expect(failure.location?.string == plain.url("/next"))
        expectText(.redirect(failure), saying: ["from https to http", "allowsInsecureHop"])
        #expect(plain.requestCount == 0)
    }

    @Test func `a redirect from https to http is followed if the request allows it`() throws {
        let server = try NginxServer(.good)
        let plain = try MockServer { _ in .text("in the clear") }
        server.origin.enqueue(.redirect(to: plain.url("/next")))
        let draft =
            MutableRequest.get(server.url()) |> .bearer("t0p") |> .redirects(RedirectPolicy(allowsInsecureHop: true))
        #expect(try CurlTransport.forTests().send(draft).text() == "in the clear")
        let request = try plain.takeRequest()
        #expect(!request.headers.contains("Authorization"))
    }

    @Test func `the next request notices that a server has ended, and the process continues`() throws {
        let server = try NginxServer(.good)
        let client = try CurlTransport.forTests()
        #expect(try client.send(.get(server.url())).status == .ok)
        server.stop()
        expectConnectionFailure(
            client.executeRequest(.post(server.url()) |> .text("x")), .refused, saying: "localhost:\(server.port)")
        #expect(server.origin.requestCount == 1)
    }

    /// A signal would end the tests.
    @Test(arguments: [HTTPVersion.http1_1, .http2])
    func `a server that resets the connection during an upload does not end the process`(
        version: HTTPVersion
    ) throws {
        let server = try MockServer(security: .tls(), versions: [version])
        server.earlyHandler = { _ in .text("too much", status: 413).failing(.reset(.beforeHead)) }
        let trust = try #require(server.certificateAuthority).trust
        let client = try CurlTransport.forTests { $0.tls.authorities = trust }
        for _ in 0..<10 {
            let upload = RequestStep.stream(length: 64 << 20) { BodySource.zeros(64 << 20) }
            guard case .failure(.connection) = client.executeRequest(.post(server.url) |> upload) else {
                Issue.record("the upload did not end with the connection")
                return
            }
        }
    }

    @Test func `a body of a megabyte is transferred in both directions`() throws {
        let server = try NginxServer(.good, origin: MockServer { request in .data(request.body) })
        let body = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let response = try CurlTransport.forTests().send(.post(server.url()) |> .data(Data(body)))
        #expect(response.body.elementsEqual(body))
        #expect(try server.origin.takeRequest().body == body)
    }
}

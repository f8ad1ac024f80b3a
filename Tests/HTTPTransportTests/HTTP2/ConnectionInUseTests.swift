import HTTPCore
import HTTPCurl
import HTTPFutures
import HTTPSupport
import TestSupport
import Testing

import HTTPMockServer

/// Beside a connection of HTTP/2 libcurl takes every connection to that host for one that can be shared.
@Suite(.enabled(if: OpenSSL.shared != nil, "\(OpenSSL.advice)"), .timeLimit(.minutes(1)))
struct ConnectionInUseTests {
    /// Only libcurl 7.88 has a request that asks for consent over HTTP/1.1; from 8.1 on it may be HTTP/2.
    private static let limited: [RequestStep] =
        CurlTransport.engineVersion.hasPrefix("7.88.")
        ? [.version(.http1), .expectContinue(wait: .seconds(20))] : [.version(.http1)]

    /// A server that has the head of a request for `/held`, and reads on when it is told to.
    private struct Holding {
        let server: MockServer
        let client: CurlTransport
        let arrived = Signal()
        let release = Signal()

        init() throws {
            server = try MockServer(security: .tls(), versions: [.http2, .http1_1]) { .text("\($0.path) \($0.text)") }
            client = try .trusting(server)
            server.earlyHandler = { [arrived, release] request in
                guard request.path == "/held" else { return nil }
                arrived.fire()
                _ = release.wait()
                return nil
            }
        }

        func future(_ path: String, _ step: RequestStep = .none) throws -> Future<Response, HTTPError> {
            client.future(for: try Request(.post(server.url(path)) |> .text("x") |> step |> .timeout(.seconds(10))))
        }
    }

    @Test(arguments: limited.indices, [false, true])
    func `a connection of a call that is limited to HTTP/1.1 takes no other call before it is free`(
        index: Int, isKept: Bool
    ) throws {
        let holding = try Holding()
        if isKept { _ = try holding.future("/first", Self.limited[index]).wait() }
        let held = try holding.future("/held", Self.limited[index])
        _ = holding.arrived.wait()
        var versions: [HTTPVersion] = []
        for path in ["/1", "/2"] {
            let response = try holding.future(path).wait()
            #expect(try response.text() == "\(path) x")
            versions.append(response.version)
        }
        holding.release.fire()
        #expect(try held.wait().text() == "/held x")
        #expect(versions == [.http2, .http2])
        let requests = holding.server.requests.suffix(3)
        #expect(requests.map(\.path).sorted() == ["/1", "/2", "/held"] && requests.allSatisfy { $0.text == "x" })
        let own = requests.first { $0.path == "/held" }?.connection
        #expect(own == 1 && requests.filter { $0.connection == own }.count == 1)
        #expect(holding.server.connectionCount == 2, "ordinary calls share one, although the other is older")
        #expect(holding.server.protocolViolations.isEmpty)
    }
}

import HTTPEngine
import HTTPPolicies
import HTTPSupport
import HTTPAsync
import HTTPMockServer
import Testing

import HTTPCore
import HTTPTesting
@testable import HTTPCurl

/// The behaviour of a guarded transport, besides refusing.
@Suite(.timeLimit(.minutes(5))) struct GuardedDestinationTests {
    private static let hasIPv6 = (try? MockServer(on: .ipv6())) != nil

    private func transport(
        _ policy: DestinationPolicy, _ overrides: [String: [String]] = [:],
        _ change: (inout CurlConfiguration) -> Void = { _ in }
    ) throws -> CurlTransport {
        try CurlTransport.plain {
            $0.destinations = policy
            $0.addressOverrides = overrides
            change(&$0)
        }
    }

    @discardableResult
    private func expectRefusal(
        _ result: Result<Response, HTTPError>, _ rule: DestinationFailure.Rule, saying words: String...,
        at location: SourceLocation = #_sourceLocation
    ) -> DestinationFailure? {
        guard case .failure(.destinationRefused(let failure)) = result else {
            Issue.record("expected a refusal, got \(result)", sourceLocation: location)
            return nil
        }
        #expect(failure.rule == rule, sourceLocation: location)
        #expect(failure.record.metrics.localPort == nil, "a socket was opened", sourceLocation: location)
        expectText(HTTPError.destinationRefused(failure), saying: words, at: location)
        return failure
    }

    @Test func `by default everything is reached`() throws {
        #expect(CurlConfiguration().destinations == .anywhere)
        let server = try MockServer { _ in .text("hello") }
        #expect(try CurlTransport.plain().send(.get(server.url("/"))).text() == "hello")
    }

    @Test func `the error names host, address and rule, and masks the secrets of the URL`() throws {
        let server = try MockServer { _ in .text("hello") }
        let client = try transport(.publicInternetOnly, ["a.example": ["127.0.0.1"]])
        let failure = expectRefusal(
            client.executeRequest(.get("http://a.example:\(server.port)/?token=secret")), .loopback,
            saying: #"GET http://a.example:\#(server.port)/?token=<redacted> was not sent: the host "a.example""#,
            "leads to 127.0.0.1", "a loopback address", ".blocks")
        #expect(failure?.host == "a.example" && failure?.address == "127.0.0.1" && failure?.port == server.port)
        #expect(failure?.isProxy == false && failure?.record.phase == .connecting)
        #expect(server.connectionCount == 0)
    }

    @Test(
        arguments: [
            .hosts("a.example"), .blocks("127.0.0.0/8"), .blocks("127.0.0.1"), .hosts("*.example"),
        ] as [DestinationPolicy.Allowance])
    func `an allowed destination is reached, and its connection reused`(allowance: DestinationPolicy.Allowance) throws {
        let server = try MockServer { _ in .text("hello") }
        let client = try transport(.publicInternetOnly(allowing: allowance), ["a.example": ["127.0.0.1"]])
        let draft = MutableRequest.get("http://a.example:\(server.port)/")
        #expect(try client.send(draft).text() == "hello")
        #expect(try client.send(draft).metrics.isConnectionReused)
        let results = client.executeRequests([draft, draft], maxConcurrent: 1)
        #expect(try results.map { try $0.get().text() } == ["hello", "hello"])
        #expect(server.connectionCount == 2)
    }

    @Test(.enabled(if: hasIPv6, "needs the address ::1"), arguments: [["::1", "127.0.0.1"], ["127.0.0.1", "::1"]])
    func `a refused address is skipped for an allowed one`(addresses: [String]) throws {
        let servers = try LoopbackPair { _ in .text("hello") }
        let client = try transport(.publicInternetOnly(allowing: .blocks("127.0.0.1")), ["a.example": addresses])
        let response = try client.send(.get("http://a.example:\(servers.port)/") |> .timeout(.seconds(5)))
        #expect(response.metrics.remoteAddress == "127.0.0.1")
        #expect(servers.ipv4.connectionCount == 1 && servers.ipv6?.connectionCount == 0)
    }

    @Test func `if no address is left, the first is named`() throws {
        let client = try transport(.publicInternetOnly, ["a.example": ["10.0.0.1", "192.168.0.1", "127.0.0.1"]])
        let failure = expectRefusal(client.executeRequest(.get("http://a.example/")), .privateUse, saying: "10.0.0.1")
        #expect(failure?.address == "10.0.0.1")
    }

    @Test func `the error is that of an allowed address that fails, not of the refused one beside it`() throws {
        let closed = try ReservedPort()
        let client = try transport(
            .publicInternetOnly(allowing: .blocks("127.0.0.1")), ["a.example": ["10.0.0.1", "127.0.0.1"]])
        expectConnectionFailure(client.executeRequest(.get("http://a.example:\(closed.number)/")), .refused)
    }

    @Test func `a refusal is not retried, although the retry policy repeats everything`() throws {
        let client = try transport(.publicInternetOnly, ["a.example": ["127.0.0.1"]])
        let retries = RetryPolicy(limit: 5, backoff: Backoff(base: .zero), repeatsAnyMethod: true)
        let failure = expectRefusal(
            client.intercepted(by: .retry(retries)).executeRequest(.get("http://a.example/")), .loopback)
        #expect(failure?.record.metrics.attemptCount == 1)
    }

    @Test func `an unlisted port is refused before anything is resolved`() throws {
        let server = try MockServer { _ in .text("hello") }
        let policy = DestinationPolicy.publicInternetOnly(allowing: .blocks("127.0.0.1"), .ports(80, server.port))
        #expect(try transport(policy).send(.get(server.url("/"))).text() == "hello")
        expectRefusal(
            try transport(policy).executeRequest(.get("http://nowhere.invalid:25/")), .port, saying: "port 25",
            "nowhere.invalid")
    }

    @Test func `an established connection is refused to a request that may not use it`() throws {
        let server = try MockServer { _ in .text("hello") }
        let loop = try CurlEventLoop(CurlConfiguration(), CurlHeaderLists(userAgent: nil))
        func result(_ policy: DestinationPolicy) throws -> Result<Response, HTTPError> {
            var configuration = CurlConfiguration()
            (configuration.proxy, configuration.destinations) = (.none, policy)
            configuration.addressOverrides = ["a.example": ["127.0.0.1"]]
            let request = try Request(.get("http://a.example:\(server.port)/"))
            var call = CurlCall(request, defaultVersion: .automatic)
            let transfer = try CurlTransfer(
                call.key, configuration, CurlHeaderLists(userAgent: nil), isShared: true, in: loop.multi)
            _ = call.begin(in: transfer, at: .now)
            #expect(loop.multi.add(transfer) == nil)
            defer { loop.multi.remove(transfer) }
            while loop.multi.socketActionAll() != 0 { loop.sockets.wait(milliseconds: 100) }
            let code = try #require(loop.multi.nextDone()).code
            transfer.recordEndpoints()
            let result = call.finish(.done(code), in: transfer, at: .now) { false }
            return try #require(result)
        }
        #expect(try result(.anywhere).get().text() == "hello")
        #expect(try result(.anywhere).get().metrics.isConnectionReused)
        guard case .failure(.destinationRefused(let failure)) = try result(.publicInternetOnly) else {
            Issue.record("the connection was used")
            return
        }
        #expect(failure.rule == .loopback && failure.address == "127.0.0.1")
        #expect(server.requestCount == 2 && server.connectionCount == 1)
    }

    @Test func `a refused redirect ends the call, and the error has the earlier redirects`() async throws {
        let inside = try MockServer { _ in .text("inside") }
        let start = try MockServer { _ in .redirect(to: inside.url("/x")) }
        let client = try transport(
            .publicInternetOnly(allowing: .hosts("start.example:\(start.port)")), ["start.example": ["127.0.0.1"]])
        let url = "http://start.example:\(start.port)/"
        await #expect(throws: HTTPError.self) { try await client.send(.get(url)) }
        let failure = expectRefusal(Self.blocking(client, url), .loopback)
        #expect(failure?.record.redirects.map(\.url.string) == [url])
        #expect(failure?.record.url == inside.url("/x"))
        #expect(start.requestCount == 2 && inside.connectionCount == 0)
    }

    /// For calls from an asynchronous function.
    private static func blocking(_ client: CurlTransport, _ url: String) -> Result<Response, HTTPError> {
        client.executeRequest(.get(url))
    }

    // MARK: Proxies and sockets

    @Test func `a proxy at an internal address is refused and named`() throws {
        let proxy = try MockServer { _ in .text("by proxy") }
        let configured = Proxy(host: "127.0.0.1", port: proxy.port)
        let client = try transport(.publicInternetOnly) { $0.proxy = .proxy(configured) }
        let failure = expectRefusal(
            client.executeRequest(.get("http://8.8.8.8/")), .loopback, saying: "the proxy is 127.0.0.1", ".trustedProxy"
        )
        #expect(failure?.isProxy == true && failure?.record.proxy == "127.0.0.1:\(proxy.port)")
        #expect(proxy.connectionCount == 0)
    }

    @Test func `a trusted proxy gets only requests for names and public addresses`() throws {
        let proxy = try MockServer { _ in .text("by proxy") }
        let client = try transport(.publicInternetOnly(allowing: .trustedProxy)) {
            $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.port))
        }
        #expect(try client.send(.get("http://a.example/")).text() == "by proxy")
        #expect(try client.send(.get("http://8.8.8.8/")).text() == "by proxy")
        expectRefusal(client.executeRequest(.get("http://10.0.0.1/")), .privateUse, saying: "the host is 10.0.0.1")
        expectRefusal(client.executeRequest(.get("http://127.0.0.1:\(proxy.port)/")), .loopback)
        #expect(proxy.requests.map { $0.headers["Host"] } == ["a.example", "8.8.8.8"])
    }

    @Test func `a proxy allowed by address gets only requests for names allowed by name`() throws {
        let proxy = try MockServer { _ in .text("by proxy") }
        let policy = DestinationPolicy.publicInternetOnly(
            allowing: .hosts("127.0.0.1:\(proxy.port)", "known.example"))
        let client = try transport(policy) { $0.proxy = .proxy(Proxy(host: "127.0.0.1", port: proxy.port)) }
        #expect(try client.send(.get("http://known.example/")).text() == "by proxy")
        expectRefusal(
            client.executeRequest(.get("http://other.example/")), .nameBehindProxy,
            saying: "the proxy 127.0.0.1:\(proxy.port) would",
            #""other.example""#)
        #expect(proxy.requestCount == 1)
    }

    @Test func `a unix-domain socket is reached if its path is allowed`() throws {
        let directory = try ScratchDirectory()
        let path = directory.file("socket")
        let server = try MockServer(on: .unix(path: path)) { _ in .text("local") }
        let refused = try transport(.publicInternetOnly) { $0.unixSocketPath = path }
        let failure = expectRefusal(
            refused.executeRequest(.get("http://localhost/")), .unixSocket, saying: path, ".unixSockets")
        #expect(failure?.host == path)
        #expect(server.connectionCount == 0)
        let allowed = try transport(.publicInternetOnly(allowing: .unixSockets(path))) { $0.unixSocketPath = path }
        #expect(try allowed.send(.get("http://localhost/1")).text() == "local")
        #expect(try allowed.send(.get("http://localhost/2")).metrics.isConnectionReused)
    }

    // MARK: Configuration

    @Test func `a misspelled policy is refused before the first request`() {
        let error = #expect(throws: HTTPError.self) {
            try transport(.publicInternetOnly(allowing: .blocks("10.0.0.0/33")))
        }
        expectUnsupported(error, saying: "10.0.0.0/33", "policy of destinations")
    }
}

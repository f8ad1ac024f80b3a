import TestSupport
import HTTPPolicies
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPTesting
import HTTPURLSession
import Synchronization
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The deviations of URLSession from the contract.
@Suite struct SessionExchangeTests {
    @Test func `silence from the start ends after connect and idle timeout together`() throws {
        let server = try MockServer { _ in .fault(.stall(.beforeHead)) }
        let start = ContinuousClock.now
        let draft =
            MutableRequest.get(server.url) |> .connectTimeout(.milliseconds(60)) |> .idleTimeout(.milliseconds(90))
        let error = try URLSessionTransport().executeRequest(draft).error()
        guard case .timedOut(let failure) = error else { throw error }
        #expect(failure.limit == .idle && failure.duration == .milliseconds(150))
        #expect(start.duration(to: .now) >= .milliseconds(150))
        try server.wait(for: .endOfConnection(1))
    }

    /// Apple's URLSession takes it apart, which is refused: `SessionAnswerTests`.
    @Test(arguments: [CurlTransport(), URLSessionTransport()] as [any HTTPClient])
    func `over libcurl parts that replace one another arrive as they were sent`(client: any HTTPClient) throws {
        let text = "--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n--b--\r\n"
        let server = try MockServer { _ in
            .data(Data(text.utf8), contentType: "multipart/x-mixed-replace; boundary=b")
        }
        #expect(try client.get("\(server.url)/camera").text() == text)
        #expect(server.requests.map(\.path) == ["/camera"])
    }

    @Test(arguments: [CurlTransport(), URLSessionTransport()] as [any HTTPClient])
    func `a cookie for a whole public suffix does not reach a sibling`(client: any HTTPClient) throws {
        let server = try MockServer { _ in
            MockResponse.text("ok").header("Set-Cookie", "wide=1; Domain=.localhost; Path=/")
                .header("Set-Cookie", "own=1; Path=/")
        }
        let jar = CookieJar()
        // Both engines resolve these names to this machine by themselves.
        for host in ["a.localhost", "b.localhost", "a.localhost"] {
            _ = try client.send(.get("http://\(host):\(server.port)/") |> .cookies(jar))
        }
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, nil, "own=1"])
        #expect(jar.cookies.map(\.name) == ["own", "own"])
    }

    @Test(arguments: [CurlTransport(), URLSessionTransport()] as [any HTTPClient])
    func `identity is no coding, however it is spelled`(client: any HTTPClient) throws {
        let server = try MockServer { _ in .text("plain").header("Content-Encoding", "Identity") }
        #expect(try client.send(.get(server.url) |> .expansionLimit(10)).text() == "plain")
        #expect(try client.send(.get(server.url) |> .header("Accept-Encoding", "Identity")).text() == "plain")
        #expect(server.requests.last?.headers["Accept-Encoding"] == "Identity")
    }

    @Test func `an exchange that was begun and cannot be sent is reported as finished`() throws {
        let events = Mutex<[String]>([])
        let observer = CallObserver(outer: nil) { event in
            if case .attemptStarted = event { events.withLock { $0.append("started") } }
            if case .attemptFinished = event { events.withLock { $0.append("finished") } }
        }
        // Foundation on Linux reads no brackets in a query, so nothing is sent.
        let request = try Request(.get("http://127.0.0.1:1/?x[]=1")).observed(by: observer)
        guard case .failure = URLSessionTransport().executeRequest(request) else { throw Unexpected("a response") }
        #expect(events.withLock { $0 } == ["started", "finished"])
    }

    /// Another attempt would end alike, so it is no truncated body, which `.retry()` repeats.
    @Test(
        arguments: [
            .text("nowhere", status: .found), .text("nowhere", status: .found).framed(.chunked()),
            .text("nowhere", status: .found).framed(.untilClose),
            .data(coded, status: .seeOther).header("Content-Encoding", "gzip"),
        ] as [MockResponse])
    func `a lost body is an error, not an empty one`(answer: MockResponse) throws {
        let server = try MockServer { _ in answer }
        let error = try URLSessionTransport().executeRequest(.get(server.url("/"))).error()
        guard case .unsupported(let failure) = error else { throw error }
        #expect(failure.feature == "the body of \(server.url("/")), a redirect that names no place")
        #expect(failure.reason.hasPrefix("the server has answered, but "))
        #expect(server.requestCount == 1)
    }

    @Test func `a redirect to nowhere that says it has no body is delivered`() throws {
        let server = try MockServer { request in
            request.method == .head ? .text("nowhere", status: .found) : .text("", status: .found)
        }
        for draft in [MutableRequest.get(server.url), .head(server.url)] {
            let response = try URLSessionTransport().send(draft)
            #expect(response.status == .found && response.body.isEmpty)
        }
    }

    /// "ok" in gzip.
    private static let coded: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 207, 6, 0, 71, 221, 220, 121, 2, 0, 0, 0,
    ]

    @Test func `the body of a followed redirect is waited for a moment only`() throws {
        let server = try MockServer { _ in .text("there") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [EndlessRedirect.self] + (configuration.protocolClasses ?? [])
        let client = try URLSessionTransport(configuration)
        let start = ContinuousClock.now
        let response = try client.send(.get(server.url(EndlessRedirect.path)) |> .idleTimeout(.seconds(20)))
        let time = start.duration(to: .now)
        #expect(try response.text() == "there" && response.redirects.count == 1)
        #expect(time >= .milliseconds(250) && time < .seconds(10), "\(time)")
    }

    @Test func `a streamed body is announced with its length`() throws {
        let server = try MockServer { _ in .text("ok") }
        _ = try URLSessionTransport().send(.post(server.url) |> .stream { .data(Data(count: 100_000)) })
        let request = try server.takeRequest()
        #expect(request.headers["Content-Length"] == "100000" && request.body == Array(repeating: 0, count: 100_000))
    }
}

/// Reports the head of a redirect as it comes, which URLSession on Linux does not do by itself, and no end of the body.
private final class EndlessRedirect: URLProtocol {
    static let path = "/endless"

    override class func canInit(with request: URLRequest) -> Bool { request.url?.path() == path }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url,
            let head = HTTPURLResponse(
                url: url, statusCode: 302, httpVersion: "HTTP/1.1", headerFields: ["Location": "/there"])
        else { return }
        client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
    }

    override func stopLoading() {}
}

import HTTPMockServer
import HTTPTesting
import Straightline
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct SingleFlightTests {
    private let flights = Flights()

    /// Answers only when `count` calls wait for the first one.
    private func server(_ count: Int, _ answer: MockResponse) throws -> MockServer {
        try MockServer { [flights] request in
            waited { flights.followerCount >= count }
            return answer
        }
    }

    private func statuses(_ client: any HTTPClient, _ url: String, _ count: Int) async throws -> [Int] {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { try await client.send(.get(url)).status.rawValue } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `equal requests at the same time are sent once`() async throws {
        let server = try server(49, .text("news"))
        let client = CurlTransport().intercepted(by: .singleFlight(flights))
        #expect(try await statuses(client, server.url("/news"), 50) == Array(repeating: 200, count: 50))
        #expect(server.requestCount == 1)
        // The next one is another time.
        #expect(try await client.send(.get(server.url("/news"))).text() == "news")
        #expect(server.requestCount == 2)
    }

    @Test func `other requests are sent`() async throws {
        let server = try server(0, .text("news"))
        let client = CurlTransport().intercepted(by: .singleFlight(flights))
        let drafts: [MutableRequest] = [
            .get(server.url("/a")), .get(server.url("/b")), .get(server.url("/a")) |> .header("Accept-Language", "de"),
            .post(server.url("/a")), .post(server.url("/a")),
        ]
        for draft in drafts { _ = try await client.send(draft) }
        #expect(server.requestCount == 5)
    }

    @Test func `requests with a cookie jar are sent, each with its own cookies`() async throws {
        let arrivals = Arrivals()
        let server = try MockServer { request in
            arrivals.add()
            waited { arrivals.count == 2 }
            return .text(request.headers["Cookie"] ?? "none")
        }
        let client = CurlTransport().intercepted(by: .singleFlight(flights))
        let drafts = try ["ada", "bob"].map { name in
            let jar = CookieJar()
            jar.store(["user=\(name)"], from: try HTTPURL(server.url("/")))
            return MutableRequest.get(server.url("/page")) |> .cookies(jar)
        }
        async let first = client.send(drafts[0]).text()
        async let second = client.send(drafts[1]).text()
        #expect(try await [first, second] == ["user=ada", "user=bob"])
    }

    private final class Arrivals: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    @Test func `if the first call ends without a response, each asks for itself`() async throws {
        let server = try server(9, .text("news"))
        server.enqueue(MockResponse.text("never").taking(.seconds(60)))
        let client = CurlTransport().intercepted(by: .singleFlight(flights))
        let url = server.url("/news")
        let first = Task { try await client.send(.get(url)) }
        #expect(await suspended { server.requestCount == 1 })
        async let others = statuses(client, url, 9)
        #expect(await suspended { flights.followerCount == 9 })
        first.cancel()
        #expect(try await others == Array(repeating: 200, count: 9))
        guard case .failure(HTTPError.cancelled) = await first.result else { return #expect(Bool(false)) }
        #expect(server.requestCount == 10)
    }
}

@Suite struct CircuitBreakerTests {
    @Test func `a service that is down is left alone, and asked again later`() throws {
        let stub = StubClient().on(.get, "/", answer: .status(503).then(.status(503)).then(.text("back")))
        let client = stub.intercepted(by: .circuitBreaker(after: 2, for: .seconds(30)))
        let url = "http://a.example/"
        for _ in 0..<2 { #expect(try client.send(.get(url)).status == .serviceUnavailable) }
        for _ in 0..<3 {
            guard case .failure(.other(let open as CircuitOpen)) = client.executeRequest(.get(url)) else {
                Issue.record("it was sent")
                return
            }
            #expect("\(HTTPError.other(open))" == "GET \(url) was not sent: the last 2 calls failed: try again later")
        }
        #expect(stub.requests.count == 2)
        stub.time.advance(by: .seconds(30))
        for _ in 0..<3 { #expect(try client.send(.get(url)).text() == "back") }
        #expect(stub.requests.count == 5)
    }

    /// Such an outcome reaches a policy when one around it has waited, and the next attempt needs a slot again.
    @Test func `calls that had to wait for others of the program do not open it`() throws {
        let queue = Interceptor { request, next in
            let record = CallRecord(request, phase: .queued)
            return switch request.url.path {
            case "/full": .failure(.other(Overload(.queueFull, limit: 1, queued: 1, record: record)))
            case "/late":
                .failure(
                    .timedOut(TimeoutFailure(.total, after: .seconds(1), record: record, blockedBy: "the others")))
            default: next.executeRequest(request)
            }
        }
        let stub = StubClient().on("**", answer: .text("up"))
        let client = stub.intercepted(by: .circuitBreaker(after: 2, for: .seconds(30)), queue)
        for path in ["full", "late", "full", "late"] {
            guard case .failure(let error) = client.executeRequest(.get("http://a.example/" + path)) else {
                return #expect(Bool(false))
            }
            #expect(error.name != "circuit_open")
        }
        #expect(try client.send(.get("http://a.example/")).text() == "up")
    }
}

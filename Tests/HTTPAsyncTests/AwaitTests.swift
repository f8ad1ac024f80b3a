import HTTPTransfers
import HTTPSupport
import HTTPAsync
import HTTPCore
import HTTPFoundation
import HTTPTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct AwaitTests {
    let url = "http://example.com/"

    struct User: Codable, Equatable {
        let name: String
    }

    @Test func `a request is answered`() async throws {
        let response = try await StubClient.ok.send(.get(url))
        #expect(response.status == .ok)
    }

    @Test func `dates are read as by every other call`() async throws {
        let stub = StubClient().on("**", answer: .json(["2026-03-01T09:30:00.250Z"]))
        let dates = [Date(timeIntervalSince1970: 1_772_357_400.25)]
        #expect(try await stub.execute(.get(url), as: [Date].self) == dates)
        let lines = stub.stream(.get(url), as: .jsonLines(of: [Date].self))
        #expect(try await lines.reduce(into: []) { $0.append($1) } == [dates])
        let pages = stub.pages(of: .get(url), as: [Date].self)
        #expect(try await pages.reduce(into: []) { $0.append($1) } == [dates])
        #expect(stub.requestCount == 3)
    }

    @Test func `a missing body is nil if an optional is asked for, and an error otherwise`() async throws {
        let stub = StubClient(strict: true).on(.get, "/a", answer: .status(.noContent))
        #expect(try await stub.execute(.get(url + "a"), as: User?.self) == nil)
        let error = await #expect(throws: HTTPError.self) { try await stub.execute(.get(url + "a"), as: Int.self) }
        guard case .decoding? = error else { return unexpected(error as Any) }
        #expect(stub.requestCount == 2)
    }

    @Test func `a finished request is sent unchanged`() async throws {
        let request = try Request(.get(url + "a"))
        #expect(try await StubClient.ok.send(request).request.url.target == "/a")
    }

    @Test func `the client's failure is thrown, by its type`() async throws {
        let expected = HTTPError.unsupported(Unsupported("teleport", "no such engine"))
        do throws(HTTPError) {
            _ = try await StubClient.failing(error: expected).send(.get(url))
            Issue.record("it did not fail")
        } catch {
            guard case .unsupported(let unsupported) = error else { throw error }
            #expect(unsupported.feature == "teleport")
        }
    }

    @Test func `a draft that cannot be built is not sent`() async throws {
        let client = GatedClient()
        let error = await client.failure(.get("not a url"))
        guard case .invalidRequest? = error else { return unexpected(error as Any) }
        #expect(client.arrived.count == 0)
    }

    @Test func `any blocking work can be awaited, also over a decorated client`() async throws {
        let body = try JSONEncoder().encode(User(name: "Ada"))
        let client = StubClient { .success(Response(request: $0, status: .ok, body: body)) }
            .intercepted(by: Interceptor { request, next in next.executeRequest(request) })
        let url = url
        let user = try await Dispatcher.shared.run(host: "example.com") {
            client.executeRequest(.get(url)).validated().decoded(as: User.self)
        }
        #expect(user == User(name: "Ada"))
    }

    @Test func `blocked calls do not delay other tasks`() async throws {
        let client = GatedClient()
        let dispatcher = Dispatcher.limited(to: 64)
        try await withThrowingTaskGroup { group in
            for _ in 0..<64 { group.addTask { try await client.send(.get(url), on: dispatcher) } }
            await client.arrived.happened(64)
            // All 64 block until this one has run.
            await Task.detached {}.value
            client.gate.signal()
            for try await response in group { #expect(response.status == .ok) }
        }
    }

    @Test func `an actor resumes on its own executor`() async throws {
        actor Caller {
            func call(_ client: StubClient, _ url: String) async throws -> HTTPStatus {
                let response = try await client.send(.get(url))
                preconditionIsolated()
                return response.status
            }
        }
        #expect(try await Caller().call(.ok, url) == .ok)
    }

    @Test func `a task of higher priority goes first`() async throws {
        let client = GatedClient()
        let dispatcher = Dispatcher.limited(to: 1)
        async let first = client.send(.get(url + "first"), on: dispatcher)
        await client.arrived.happened()
        let done = Event()
        for (path, priority) in [("low", Dispatcher.Priority.low), ("normal", .normal), ("high", .high)] {
            client.executeRequest(
                .get(url + path), priority: priority, callbackQueue: .immediate, on: dispatcher
            ) { _ in done.signal() }
        }
        client.gate.signal()
        await done.happened(3)
        _ = try await first
        #expect(client.served.withLock { $0 } == ["/first", "/high", "/normal", "/low"])
        #expect(Dispatcher.Priority(.userInitiated) == .high)
        #expect(Dispatcher.Priority(.medium) == .normal)
        #expect(Dispatcher.Priority(.background) == .low)
    }
}

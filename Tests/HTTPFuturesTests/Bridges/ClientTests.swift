import Foundation
import HTTPAsync
import HTTPCore
import HTTPFutures
import HTTPTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct ClientTests {
    private struct User: Codable, Equatable, Sendable { let name: String }

    private struct Users: EnumeratedGenerator {
        typealias Calls = Load
        let baseURL = "http://example.com"
    }

    private enum Load: ServiceEndpoint {
        case one

        func request(from generator: Users) -> MutableRequest { generator.get("user") }
    }

    private let echo = StubClient { request in
        .success(Response(request: request, status: .ok, body: Data(#"{"name":"Ann"}"#.utf8)))
    }

    /// Waits to be cancelled, like a transport whose server is silent.
    private func silent(_ arrived: IntPromise) -> StubClient {
        StubClient { request in
            let cancelled = IntPromise()
            let registration = CancellationToken.current?.onCancel { cancelled.succeed(1) }
            arrived.succeed(1)
            _ = try? cancelled.future.wait()
            registration?.remove()
            return .failure(.cancelled(CallRecord(request)))
        }
    }

    @Test func `A request's future has the response`() async throws {
        let response = try await echo.future(for: .get("http://example.com/a")).get()
        #expect(response.status == .ok)
    }

    @Test func `A draft that cannot be built is a failed future`() {
        guard case .failure(.invalidRequest) = echo.future(for: .get("not a URL")).result else {
            Issue.record("not refused")
            return
        }
    }

    @Test func `A future has a decoded value, or a refusal with its response`() async throws {
        let stub = StubClient(strict: true)
            .on(.get, "http://example.com/7", answer: .json(["name": "Ann"]))
            .on(.get, "http://example.com/8", answer: .status(.notFound))
        #expect(try await stub.future(for: .get("http://example.com/7"), as: User.self).get() == User(name: "Ann"))
        let error = await #expect(throws: HTTPError.self) {
            try await stub.future(for: .get("http://example.com/8"), as: User.self).get()
        }
        #expect(error?.status == .notFound)
        try stub.verify()
    }

    @Test func `Any blocking work makes a future`() async throws {
        let future = Dispatcher.shared.future { [echo] in
            echo.executeRequest(Load.one.request(from: Users())).validated().decoded(as: User.self)
        }
        #expect(try await future.get() == User(name: "Ann"))
    }

    @Test func `A service's calls are futures`() async throws {
        let users = echo.service(Users())
        #expect(try await users.future(for: .one, as: User.self).get() == User(name: "Ann"))
        #expect(try await users.future(for: .one |> .query("a", 1), as: User.self).get() == User(name: "Ann"))
        try await users.future(for: .one).get()
        let count = users.future(for: .get("user"), as: User.self).map(\.name.count)
        #expect(try await count.get() == 3)
        let wrong = users.future(for: .one, as: [Int].self)
        let error = await #expect(throws: HTTPError.self) { try await wrong.get() }
        guard case .decoding? = error else { return #expect(Bool(false)) }
    }

    @Test func `Cancelling the future cancels the call`() async {
        let arrived = IntPromise()
        let ended = Promise<Bool, Problem>()
        let client = silent(arrived).intercepted(
            by: Interceptor { request, next in
                let result = next.executeRequest(request)
                if case .failure(.cancelled) = result { ended.succeed(true) } else { ended.succeed(false) }
                return result
            })
        let future = client.future(for: .get("http://example.com/a"))
        _ = await resultOf(arrived.future)
        future.cancel()
        guard case .failure(.cancelled) = future.result else {
            Issue.record("still pending")
            return
        }
        #expect(await resultOf(ended.future) == .success(true))
    }

    @Test func `The loser of a race is cancelled`() async throws {
        let arrived = IntPromise()
        let slow = silent(arrived).future(for: .get("http://example.com/slow"))
        _ = await resultOf(arrived.future)
        let winner = try await Future.race([slow, echo.future(for: .get("http://example.com/a"))]).get()
        #expect(winner.status == .ok)
        guard case .failure(.cancelled) = await resultOf(slow) else {
            Issue.record("not cancelled")
            return
        }
    }

    @Test func `A call within a chain gets the rest of its budget`() async throws {
        let deadlines = Log<CallDeadline?>()
        let client = StubClient { request in
            deadlines.add(CallDeadline.current)
            return .success(Response(request: request, status: .ok))
        }
        let first = client.future(for: .get("http://example.com/1"))
        _ = try await first.deadline(.seconds(7)).flatMap { _ in
            client.future(for: .get("http://example.com/2"))
        }.get()
        #expect(deadlines.entries.last??.allowance == .seconds(7))
    }

    @Test func `A chain of calls runs in order, each after the one before`() async throws {
        let log = Log<String>()
        let client = StubClient { request in
            log.add(request.url.target)
            return .success(Response(request: request, status: .ok))
        }
        _ = try await client.future(for: .get("http://example.com/1"))
            .flatMap { _ in client.future(for: .get("http://example.com/2")) }
            .flatMap { _ in client.future(for: .get("http://example.com/3")) }
            .get()
        #expect(log.entries == ["/1", "/2", "/3"])
    }

    @Test func `A callback on the dispatcher's thread may wait for another call`() async throws {
        let waited = IntPromise()
        let registered = IntPromise()
        let client = StubClient { request in
            _ = try? registered.future.wait()
            return .success(Response(request: request, status: .ok))
        }
        client.future(for: .get("http://example.com/1")).onSuccess { _ in
            let second = try? client.future(for: .get("http://example.com/2")).wait(for: .seconds(20))
            if second?.status == .ok { waited.succeed(2) } else { waited.fail(.other(2)) }
        }
        registered.succeed(1)
        #expect(await resultOf(waited.future) == .success(2))
    }
}

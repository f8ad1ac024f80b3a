import TestSupport
import HTTPPolicies
import HTTPSupport
import HTTPCore
import HTTPTesting
import Testing

import HTTPAsync

/// A suspending refresh, over a stub in simulated time, which passes only when something waits for a time.
///
/// The time limits are long: with many tests a suspended one may be resumed late.
@Suite(.timeLimit(.minutes(5))) struct SimulatedRefreshTests {
    private static let url = "http://a.example/news"

    private let begun = Event()
    private let gate = Event()

    private func stub() -> StubClient {
        StubClient().on(.get, "/news") { request in
            request.headers["Authorization"] == "Bearer new" ? .text("ok") : .status(401)
        }
    }

    private func tokens() -> BearerTokens {
        BearerTokens("old") { [begun, gate] _ in
            begun.signal()
            await gate.happened()
            return "new"
        }
    }

    @Test func `calls of every style wait for it without simulated time passing`() async throws {
        let stub = stub()
        let tokens = tokens()
        let client = stub.intercepted(by: .bearer(tokens))
        let dispatcher = Dispatcher(.init(running: 100, runningPerHost: 100))
        let told = Event()
        let statuses = Locked<[HTTPStatus?]>([])
        @Sendable func note(_ result: Result<Response, HTTPError>) {
            statuses.withLock { $0.append(result.value?.status) }
            told.signal()
        }
        for _ in 0..<4 {
            Task { note(await onThread { client.executeRequest(.get(Self.url) |> .timeout(.seconds(6000))) }) }
            Task { note(await Result(awaiting: client, Self.url, dispatcher)) }
            client.executeRequest(.get(Self.url) |> .timeout(.seconds(6000)), callbackQueue: .immediate, on: dispatcher)
            { note($0) }
        }
        await begun.happened()
        #expect(await suspended { tokens.waiting == 12 })
        gate.signal()
        await told.happened(12)
        #expect(statuses.withLock { $0 } == Array(repeating: .ok, count: 12))
        #expect(begun.count == 1 && tokens.current == "new")
        #expect(stub.time.elapsed == .zero && stub.time.waits.isEmpty)
        #expect(stub.requests.map { $0.headers["Authorization"] }.count { $0 == "Bearer new" } == 12)
    }

    @Test func `time that passes meanwhile ends the calls that it times out, and the others keep waiting`() async throws
    {
        let stub = stub()
        let tokens = tokens()
        let client = stub.intercepted(by: .bearer(tokens))
        async let short = Result(awaiting: client, Self.url, .shared, .timeout(.seconds(500)))
        async let long = Result(awaiting: client, Self.url, .shared, .timeout(.seconds(6000)))
        await begun.happened()
        #expect(await suspended { tokens.waiting == 2 })
        stub.time.advance(by: .seconds(600))
        guard case .timedOut(let failure)? = await short.failure else {
            gate.signal()
            return unexpected(await short)
        }
        #expect(failure.limit == .total && failure.duration == .seconds(500))
        gate.signal()
        #expect(await long.value?.status == .ok)
        #expect(stub.time.elapsed == .seconds(600) && begun.count == 1)
    }

    @Test func `a retry around it waits in simulated time, and requests the token once`() async throws {
        let stub = StubClient().on(
            .get, "/news", answer: .status(503).header("Retry-After", "20").then(.status(401)).then(.text("ok")))
        let client = stub.intercepted(by: .retry(), .bearer(tokens()))
        gate.signal()
        let result = await Result(awaiting: client, Self.url, .shared)
        #expect(try result.get().text() == "ok")
        #expect(stub.time.waits == [.seconds(20)] && begun.count == 1)
        #expect(stub.requests.map { $0.headers["Authorization"] } == ["Bearer old", "Bearer old", "Bearer new"])
    }
}

extension Result where Success == Response, Failure == HTTPError {
    fileprivate init(
        awaiting client: any HTTPClient, _ url: String, _ dispatcher: Dispatcher,
        _ step: RequestStep = .timeout(.seconds(6000))
    ) async {
        do throws(HTTPError) {
            self = .success(try await client.send(.get(url) |> step, on: dispatcher))
        } catch { self = .failure(error) }
    }
}

import HTTPPolicies
import HTTPAsync
import HTTPCore
import HTTPTesting
import Testing

/// Calls that wait between their exchanges.
@Suite(.timeLimit(.minutes(5))) struct WaitingCallsTests {
    private let url = "http://one.example/"

    @Test func `calls beyond the limit of waiting ones are refused, and the waiting ones continue`() async throws {
        let sent = Event()
        let client = CountingClient(sent: sent)
            .intercepted(by: .rateLimit(1, per: .seconds(1_000)))
        let dispatcher = Dispatcher.limited(to: 8, queued: 2)
        _ = try await client.send(.get(url), on: dispatcher)
        let url = url
        let ended = Event()
        let calls = (0..<5).map { _ in
            Task {
                defer { ended.signal() }
                return try await client.send(.get(url) |> .timeout(nil), on: dispatcher)
            }
        }
        // Two wait, and the others end at once.
        await ended.happened(3)
        for call in calls { call.cancel() }
        var refused = 0
        var cancelled = 0
        for call in calls {
            guard case .failure(let error as HTTPError) = await call.result else { continue }
            switch error {
            case .other(let overload as Overload):
                refused += 1
                #expect(overload.reason == .queueFull && overload.limit == 2 && overload.record?.phase == .queued)
            case .cancelled: cancelled += 1
            default: throw error
            }
        }
        #expect(refused == 3 && cancelled == 2)
        #expect(sent.count == 1)
        // The slots of the ended calls are free again.
        let next = Task { try await client.send(.get(url) |> .timeout(.milliseconds(20)), on: dispatcher) }
        guard case .failure(let error as HTTPError) = await next.result, case .timedOut = error else {
            Issue.record("it came to \(await next.result)")
            return
        }
    }

    @Test func `a call that may not wait for its next attempt says that it was sent`() async throws {
        let sent = Event()
        let client = CountingClient(sent: sent, status: .serviceUnavailable).intercepted(by: .retry())
        let error = await client.failure(.get(url), on: .limited(to: 8, queued: 0))
        guard case .other(let overload as Overload)? = error else { throw try #require(error) }
        #expect(overload.wasSent && overload.record?.metrics.attemptCount == 1)
        #expect("\(overload)".hasPrefix("GET \(url) failed: 0 calls are waiting already"), "\(overload)")
        #expect(sent.count == 1)
    }

    @Test func `a call that may not wait for its turn says that it was not sent`() async throws {
        let sent = Event()
        let client = CountingClient(sent: sent).intercepted(by: .rateLimit(1, per: .seconds(1_000)))
        let dispatcher = Dispatcher.limited(to: 8, queued: 0)
        _ = try await client.send(.get(url), on: dispatcher)
        let error = await client.failure(.get(url) |> .timeout(nil), on: dispatcher)
        guard case .other(let overload as Overload)? = error else { throw try #require(error) }
        #expect(!overload.wasSent && overload.record?.metrics.attemptCount == 0)
        #expect("\(overload)".hasPrefix("GET \(url) was not sent: "), "\(overload)")
        #expect(sent.count == 1)
    }

    @Test func `a call that answers a challenge goes before those that have not begun`() async throws {
        let gated = GatedClient()
        let dispatcher = Dispatcher.limited(to: 8, perHost: 1)
        let one = Origin(scheme: .http, host: "one.example")
        let client = ChallengingClient(gated: gated).intercepted(by: .digest(user: "u", password: "p", for: one))
        let first = Task { try await client.send(.get("http://one.example/a"), on: dispatcher) }
        await gated.arrived.happened()
        var others: [Task<Response, any Error>] = []
        for (number, target) in ["b", "c", "d"].enumerated() {
            others.append(Task { try await gated.send(.get("http://one.example/\(target)"), on: dispatcher) })
            #expect(await suspended { dispatcher.calls.queued == number + 1 })
        }
        gated.gate.signal()
        #expect(try await first.value.status == .ok)
        for call in others { _ = try await call.value }
        // The slot of the first exchange went to the next call before there was a second.
        #expect(gated.served.withLock { $0 } == ["/a", "/b", "/a", "/c", "/d"])
    }
}

/// Wants Digest credentials.
private struct ChallengingClient: HTTPClient {
    let gated: GatedClient

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let outcome = gated.executeRequest(request)
        guard !request.headers.contains("Authorization") else { return outcome }
        let challenge: HTTPHeaders = ["WWW-Authenticate": "Digest realm=\"r\", qop=\"auth\", nonce=\"n\""]
        return .success(Response(request: request, status: .unauthorized, headers: challenge))
    }
}

private struct CountingClient: HTTPClient {
    let sent: Event
    var status = HTTPStatus.ok

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        sent.signal()
        return .success(Response(request: request, status: status))
    }
}

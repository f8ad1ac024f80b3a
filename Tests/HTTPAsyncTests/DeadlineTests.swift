import HTTPSupport
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

import HTTPAsync

@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
    let url = "http://example.com/"

    @Test func `a call whose timeout expires in the queue fails without running`() async throws {
        let client = GatedClient()
        let dispatcher = Dispatcher.limited(to: 1)
        async let first = client.send(.get(url + "first"), on: dispatcher)
        await client.arrived.happened()
        do {
            _ = try await client.send(.get(url + "late") |> .timeout(.milliseconds(30)), on: dispatcher)
            Issue.record("it ran")
        } catch {
            guard case .timedOut(let failure) = error else { throw error }
            #expect(failure.limit == .total)
            #expect(failure.phase == .queued)
            #expect("\(error)".contains("timed out while waiting for its turn: the whole call took longer than 30 ms"))
        }
        client.gate.signal()
        _ = try await first
        #expect(client.served.withLock { $0 } == ["/first"])
    }

    @Test func `the callback of such a call does not delay the clock for others`() async {
        let dispatcher = Dispatcher.limited(to: 1)
        let (gate, expired, done) = (Event(), Event(), Event())
        let busy: @Sendable () -> Result<Int, HTTPError> = {
            gate.block()
            return .success(1)
        }
        dispatcher.submit(busy) { _ in done.signal() }
        dispatcher.submit(timeout: .milliseconds(10), { .success(2) }) { (_: Result<Int, HTTPError>) in
            expired.signal()
            gate.block()
            done.signal()
        }
        dispatcher.submit(timeout: .milliseconds(40), { .success(2) }) { (_: Result<Int, HTTPError>) in
            expired.signal()
        }
        await expired.happened(2)
        #expect(gate.count == 0)
        gate.signal()
        await done.happened(2)
    }

    @Test func `it does not delay calls with the same deadline either`() async {
        let (isSubmitted, gate, expired, done) = (Event(), Event(), Event(), Event())
        let asked = Atomic(0)
        // The first thread makes calls. The second watches the clock, and finds both calls over when it begins.
        let dispatcher = Dispatcher.starting(Dispatcher.Configuration(running: 1, runningPerHost: 1)) { body in
            let isWatching = asked.add(1, ordering: .relaxed).newValue == 2
            return Dispatcher.startThread {
                if isWatching { isSubmitted.block() }
                body()
            }
        }
        dispatcher.submit({ () -> Result<Int, HTTPError> in
            gate.block()
            return .success(1)
        }) { _ in done.signal() }
        for _ in 0..<3 {
            dispatcher.submit(timeout: .zero, { .success(2) }) { (_: Result<Int, HTTPError>) in
                expired.signal()
                gate.block()
                done.signal()
            }
        }
        isSubmitted.signal()
        await expired.happened(3)
        #expect(gate.count == 0)
        gate.signal()
        await done.happened(4)
    }

    @Test func `a call that had to wait gets the time left`() async throws {
        let gated = GatedClient()
        let seen = Locked<CallDeadline?>(nil)
        let observer = StubClient { request in
            seen.withLock { $0 = CallDeadline.current }
            return .success(Response(request: request, status: .ok))
        }
        let dispatcher = Dispatcher.limited(to: 1)
        async let first = gated.send(.get(url), on: dispatcher)
        await gated.arrived.happened()
        let submission = ContinuousClock.now
        let done = Event()
        let request = try Request(.get(url) |> .timeout(.seconds(50)))
        observer.executeRequest(request, callbackQueue: .immediate, on: dispatcher) { _ in done.signal() }
        let submitted = ContinuousClock.now
        gated.gate.signal()
        await done.happened()
        let deadline = try #require(seen.withLock { $0 })
        #expect(deadline.allowance == .seconds(50))
        #expect(deadline.instant >= submission + .seconds(50))
        #expect(deadline.instant <= submitted + .seconds(50))
        _ = try await first
    }

    @Test func `work with a timeout passes it on to its calls, and the earlier deadline applies`() async throws {
        let outer = CallDeadline(.seconds(20))
        let (own, around) = try await Dispatcher.shared.run(timeout: .seconds(10)) {
            .success((CallDeadline.current, outer.run { CallDeadline.current }))
        }
        #expect(own?.allowance == .seconds(10))
        #expect(around?.allowance == .seconds(10))
        let ambient = try await CallDeadline.$current.withValue(CallDeadline(.seconds(5))) {
            try await Dispatcher.shared.run(timeout: .seconds(10)) { .success(CallDeadline.current) }
        }
        #expect(ambient?.allowance == .seconds(5))
    }
}

import TestSupport
import HTTPSupport
import HTTPTesting
import Testing

import HTTPCore

/// Calls through policies on the calling thread.
@Suite struct PolicyClientTests {
    private let notes = Notes<String>()
    private let script = ScriptedClient(ScriptedClient.status(200))

    private func noting(_ name: String) -> Interceptor { Interceptor(ScriptedPolicy.noting(name, in: notes)) }

    private func closure(_ name: String) -> Interceptor {
        Interceptor { [notes] request, next in
            notes.note("\(name) in")
            defer { notes.note("\(name) out") }
            return next.executeRequest(request)
        }
    }

    /// The notes of `client` about a call.
    private func order(_ client: any HTTPClient) -> [String] {
        let before = notes.all.count
        _ = client.executeRequest(.get("http://h"))
        return Array(notes.all.dropFirst(before))
    }

    @Test func `policies have the same order however they are added to a client`() {
        let (a, b, c) = (noting("a"), noting("b"), noting("c"))
        let expected = ["a in 1", "b in 1", "c in 1", "c out 2", "b out 2", "a out 2"]
        #expect(order(script.intercepted(by: a, b, c)) == expected)
        #expect(order(script.intercepted(by: a |> b |> c)) == expected)
        #expect(order(script.intercepted(by: a |> (b |> c))) == expected)
        #expect(order(script.intercepted(by: c).intercepted(by: b).intercepted(by: a)) == expected)
        #expect(order(script.intercepted(by: Interceptor([])).intercepted(by: b, c).intercepted(by: a)) == expected)
        #expect(script.requests.count == 5)
    }

    @Test func `a closure may be anywhere among them`() {
        let interceptors = [noting("a"), closure("x"), noting("b"), closure("y")]
        let expected = ["a in 1", "x in", "b in 1", "y in", "y out", "b out 2", "x out", "a out 2"]
        #expect(order(script.intercepted(by: Interceptor(interceptors))) == expected)
        #expect(order(script.intercepted(by: interceptors.dropFirst().reduce(interceptors[0], |>))) == expected)
    }

    /// Waits for `signal` before it sends.
    private func waiting(
        for signal: PolicySignal,
        until end: @escaping @Sendable (PolicyMoment) -> ContinuousClock.Instant? = { _ in nil }
    ) -> Interceptor {
        Interceptor(
            ScriptedPolicy { [notes] count, event, moment in
                switch event {
                case .started: return .wait(until: end(moment), for: signal, because: .authorizing)
                case .resumed:
                    notes.note("resumed \(count)")
                    return .pass
                case .answered(let outcome): return .finish(outcome)
                case .interrupted(let error):
                    notes.note("interrupted \(count)")
                    return .finish(.failure(error))
                }
            })
    }

    @Test func `a signal that was fired before is not waited for`() throws {
        let signal = PolicySignal()
        signal.fire()
        let client = script.intercepted(by: waiting(for: signal), waiting(for: signal))
        #expect(try client.send(.get("http://h")).status == .ok)
        #expect(notes.all == ["resumed 2", "resumed 2"] && signal.isFired && signal.waitCount == 0)
    }

    @Test func `another thread that fires the signal ends the wait, and no other wait`() throws {
        let (signal, other) = (PolicySignal(), PolicySignal())
        let client = script.intercepted(by: waiting(for: signal), waiting(for: other))
        let thread = TestThread { _ = client.executeRequest(.get("http://h")) }
        waited { signal.waitCount == 1 }
        #expect(other.waitCount == 0)
        signal.fire()
        waited { other.waitCount == 1 }
        #expect(notes.all == ["resumed 2"] && script.requests.isEmpty)
        other.fire()
        thread.join()
        #expect(notes.all == ["resumed 2", "resumed 2"] && script.requests.count == 1)
    }

    @Test func `one signal ends the waits of all calls, and it may be fired by many threads`() throws {
        let signal = PolicySignal()
        let client = script.intercepted(by: waiting(for: signal))
        let threads = (0..<20).map { _ in TestThread { _ = client.executeRequest(.get("http://h")) } }
        waited { signal.waitCount == 20 }
        let firing = (0..<5).map { _ in TestThread { signal.fire() } }
        for thread in threads + firing { thread.join() }
        #expect(script.requests.count == 20 && notes.all.count == 20 && signal.waitCount == 0)
    }

    @Test func `a wait for a time and a signal ends with the first of them`() throws {
        let clock = TestClock(manual: true)
        let signal = PolicySignal()
        let client = clock.around(script).intercepted(by: waiting(for: signal) { $0.now + .seconds(2) })
        let first = TestThread { _ = client.executeRequest(.get("http://h")) }
        clock.asleep.wait(for: 1)
        clock.advance(by: .seconds(2))
        first.join()
        #expect(script.requests.count == 1 && signal.waitCount == 0 && !signal.isFired)
        let second = TestThread { _ = client.executeRequest(.get("http://h")) }
        clock.asleep.wait(for: 2)
        signal.fire()
        second.join()
        #expect(script.requests.count == 2 && clock.elapsed == .seconds(2))
    }

    @Test func `a signal that nobody fires ends with the deadline, or when the call is cancelled`() throws {
        let signal = PolicySignal()
        let client = script.intercepted(by: waiting(for: signal))
        let error = client.executeRequest(.get("http://h") |> .timeout(.milliseconds(20))).failure
        guard case .timedOut(let failure) = error else { return unexpected(error as Any) }
        #expect(failure.limit == .total && failure.phase == .authorizing)
        let token = CancellationToken()
        let outcome = Notes<HTTPError?>()
        let thread = TestThread {
            token.run { outcome.note(client.executeRequest(.get("http://h") |> .timeout(nil)).failure) }
        }
        waited { signal.waitCount == 1 }
        token.cancel()
        thread.join()
        guard case .cancelled = outcome.all.first else { return unexpected(outcome.all) }
        signal.fire()
        #expect(notes.all == ["interrupted 2", "interrupted 2"] && script.requests.isEmpty && signal.waitCount == 0)
    }

    @Test func `in a time that nobody can advance, a wait for a signal is an error that names the policy`() throws {
        let clock = CallClock(now: { .now }, unixTime: { 0 }, sleep: { _, _, _ in false }, isSimulated: true)
        let client = ClockClient(clock: clock, client: script).intercepted(by: waiting(for: PolicySignal()))
        let error = client.executeRequest(.get("http://h") |> .timeout(nil)).failure
        guard case .other(let fault as PolicyFault) = error else {
            return unexpected(error as Any)
        }
        #expect(fault.kind == .waitsForNobody && fault.policy == "ScriptedPolicy")
        #expect(fault.record?.phase == .authorizing)
        #expect("\(fault)".contains("the policy ScriptedPolicy waits for a signal"))
        #expect(notes.all == ["interrupted 2"])
    }

    @Test func `cancelling ends a wait at once, and the outer policies are notified`() {
        let clock = TestClock(manual: true)
        let waiting = ScriptedPolicy { _, event, moment in
            if case .interrupted(let error) = event { return .finish(.failure(error)) }
            return .wait(until: moment.now + .seconds(60), because: .authorizing)
        }
        let client = clock.around(script).intercepted(by: noting("a") |> Interceptor(waiting))
        let token = CancellationToken()
        let outcome = Notes<HTTPError?>()
        let thread = TestThread { token.run { outcome.note(client.executeRequest(.get("http://h")).failure) } }
        clock.asleep.wait(for: 1)
        token.cancel()
        thread.join()
        guard case .cancelled(let record?) = outcome.all.first else { return unexpected(outcome.all) }
        #expect(record.phase == .authorizing && notes.all == ["a in 1", "a out 2"])
        #expect(script.requests.isEmpty)
    }

    @Test func `requested work is done even for a call that is cancelled meanwhile`() {
        let token = CancellationToken()
        let working = ScriptedPolicy { [notes] _, event, moment in
            switch event {
            case .started:
                return .run {
                    token.cancel()
                    notes.note("work")
                }
            case .resumed: return .finish(.failure(moment.isCancelled ? moment.cancelled(.queued) : .cancelled(nil)))
            case .answered(let outcome): return .finish(outcome)
            case .interrupted(let error): return .finish(.failure(error))
            }
        }
        let error = token.run { script.intercepted(by: Interceptor(working)).executeRequest(.get("http://h")).failure }
        guard case .cancelled(_?) = error else { return unexpected(error as Any) }
        #expect(notes.all == ["work"] && script.requests.isEmpty)
    }

    @Test(arguments: [true, false])
    func `a client of one's own gets nothing of a call that ended during the work before it`(isBatch: Bool) throws {
        let token = CancellationToken()
        for isLate in [true, false] {
            let clock = TestClock()
            let working = ScriptedPolicy { _, event, moment in
                switch event {
                case .started:
                    .run(because: .authorizing) { if isLate { clock.advance(by: .seconds(2)) } else { token.cancel() } }
                case .resumed: .pass
                case .answered(let outcome): .finish(outcome)
                case .interrupted(let error): .finish(.failure(error))
                }
            }
            let client = clock.around(script).intercepted(by: Interceptor(working))
            let request = try Request(.get("http://h") |> .timeout(.seconds(1)))
            let outcomes = Notes<HTTPError?>()
            token.run {
                if isBatch {
                    client.executeRequests([request]) { outcomes.note($1.failure) }
                } else {
                    outcomes.note(client.executeRequest(request).failure)
                }
            }
            guard case let error?? = outcomes.all.first else { return unexpected(outcomes.all) }
            #expect(error.record?.phase == .authorizing && "\(error)".contains("while waiting for a token"), "\(error)")
            switch error {
            case .timedOut: #expect(isLate)
            case .cancelled: #expect(!isLate)
            default: unexpected(error)
            }
        }
        #expect(script.requests.isEmpty)
    }
}

private struct ClockClient: ClockedClient {
    let clock: CallClock
    let client: any HTTPClient

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> { client.executeRequest(request) }
}

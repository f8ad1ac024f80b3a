import HTTPTesting
import Testing

@testable import HTTPCore

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

    @Test func `a policy that was woken before it waits does not sleep`() {
        let client = script.intercepted(
            by: Interceptor(
                ScriptedPolicy { _, event, moment in
                    guard case .started = event else { return .finish(.failure(.cancelled(nil))) }
                    moment.waker.wake()
                    return .wait(until: nil, .queued)
                }))
        #expect(client.executeRequest(.get("http://h")).failure != nil && script.requests.isEmpty)
    }

    @Test func `a waiting policy is woken from another thread, and by no other policy's waker`() {
        let wakers = Notes<PolicyWaker>()
        let asleep = Tally()
        let clock = TestClock(manual: true)
        let waiting = ScriptedPolicy { [notes] count, event, moment in
            switch event {
            case .started:
                wakers.note(moment.waker)
                return .wait(until: moment.now + .seconds(60), .queued)
            case .resumed:
                notes.note("resumed \(count)")
                return .pass
            case .answered(let outcome): return .finish(outcome)
            case .interrupted(let error): return .finish(.failure(error))
            }
        }
        let outer = ScriptedPolicy { _, event, moment in
            guard case .answered(let outcome) = event else {
                wakers.note(moment.waker)
                return .pass
            }
            asleep.add()
            return .finish(outcome)
        }
        let client = clock.around(script).intercepted(by: Interceptor(outer) |> Interceptor(waiting))
        let thread = TestThread { _ = client.executeRequest(.get("http://h")) }
        clock.asleep.wait(for: 1)
        wakers.all[0].wake()
        #expect(notes.all.isEmpty && script.requests.isEmpty)
        wakers.all[1].wake()
        thread.join()
        #expect(notes.all == ["resumed 2"] && script.requests.count == 1)
    }

    @Test func `cancelling ends a wait at once, and the outer policies are notified`() {
        let clock = TestClock(manual: true)
        let waiting = ScriptedPolicy { _, event, moment in
            if case .interrupted(let error) = event { return .finish(.failure(error)) }
            return .wait(until: moment.now + .seconds(60), .authorizing)
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
}

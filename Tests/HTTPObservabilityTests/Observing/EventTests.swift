import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPTesting
import Testing

import HTTPCore

/// The events that a listener receives during a call.
@Suite struct EventTests {
    private func told(_ stub: StubClient, _ interceptors: Interceptor..., get url: String) -> [CallEvent] {
        let events = Notes<CallEvent>()
        _ = stub.intercepted(by: Interceptor([.observing { events.note($0) }] + interceptors)).executeRequest(.get(url))
        return events.all
    }

    private func names(_ events: [CallEvent]) -> [String] {
        events.map { event in
            let number = event.attemptID.map { " \($0.number)" } ?? ""
            return switch event {
            case .started: "started"
            case .attemptStarted(let request, _): "attempt\(number) \(request.url.path)"
            case .phaseFinished(let phase, _): "\(phase.activity)\(number)"
            case .attemptFinished(let attempt, _): "over\(number) \(attempt.outcome)"
            case .waitStarted(let cause, _): "wait \(cause)"
            case .waitFinished(let wait, _): "waited \(wait.cause)"
            case .finished: "finished"
            }
        }
    }

    @Test func `attempts, their phases, waits and the end are reported in order, with one id`() {
        let stub = StubClient().on(
            .get, "/a",
            answer: .status(503).taking(.milliseconds(10), in: .connecting)
                .then(.text("x").taking(.milliseconds(10), in: .waiting).taking(.milliseconds(5), in: .receiving)))
        let events = told(stub, .retry(), get: "https://a.example/a")
        #expect(
            names(events) == [
                "started", "attempt 1 /a", "connecting 1", "over 1 answered(503)", "wait betweenAttempts",
                "waited betweenAttempts",
                "attempt 2 /a",
                "waiting 2", "receiving 2", "over 2 answered(200)", "finished",
            ])
        #expect(Set(events.map(\.callID)).count == 1)
    }

    @Test func `redirects are attempts`() {
        let stub = StubClient().on(.get, "/a", answer: .status(302).header("Location", "/b")).on(
            .get, "/b", answer: .text("x"))
        #expect(
            names(told(stub, get: "https://a.example/a")) == [
                "started", "attempt 1 /a", "over 1 answered(302)", "attempt 2 /b", "over 2 answered(200)", "finished",
            ])
    }

    @Test func `a failed attempt has the phase in which it ended`() {
        let events = told(StubClient.failing(.connection(.refused)), get: "https://a.example/a")
        #expect(
            names(events).dropLast().last
                == "over 1 failed(connecting, reason: \"connection refused\")")
    }

    @Test func `two listeners get the same ids, which are those of the history`() throws {
        let (outer, inner) = (Notes<CallID>(), Notes<CallID>())
        let client = StubClient().on(.get, "/", answer: .text("x"))
            .intercepted(by: .observing { outer.note($0.callID) }, .retry(), .observing { inner.note($0.callID) })
        let response = try client.send(.get("https://a.example/"))
        #expect(Set(outer.all + inner.all) == [response.history.id])
    }

    @Test func `a call without a listener has its own id`() throws {
        let client = StubClient().on(.get, "/", answer: .text("x"))
        let ids = try (0..<3).map { _ in try client.send(.get("https://a.example/")).history.id }
        #expect(Set(ids).count == 3)
    }
}

import HTTPSupport

/// The requests received and answers given: the mutable part of a stub.
package final class StubRecorder: Sendable {
    private struct State {
        var requests: [StubbedRequest] = []
        var requestCount = 0
        /// The number of answers given by each route.
        var given: [Int]
        var unmatched: [UnmatchedRequest] = []
        var unusable: [StubProblem] = []
    }

    /// The number of requests kept.
    private let limit: Int
    private let state: WatchedState<State>

    init(routeCount: Int, limit: Int = .max) {
        self.limit = limit
        state = WatchedState(State(given: Array(repeating: 0, count: routeCount)))
    }

    var requests: [StubbedRequest] { Array(state.read { $0.requests }.suffix(limit)) }
    var requestCount: Int { state.read { $0.requestCount } }
    var given: [Int] { state.read { $0.given } }
    var unmatched: [UnmatchedRequest] { state.read { $0.unmatched } }
    var unusable: [StubProblem] { state.read { $0.unusable } }
    package var waiterCount: Int { state.waiterCount }

    /// Adds a request, and wakes the waiters.
    func note(_ request: StubbedRequest) {
        let gone = state.change { state -> ArraySlice<StubbedRequest> in
            state.requestCount += 1
            state.requests.append(request)
            // Removed in batches, so that the cost of each stays constant.
            guard limit < .max, state.requests.count >= 2 * limit else { return [] }
            let gone = state.requests.prefix(state.requests.count - limit)
            state.requests = Array(state.requests.suffix(limit))
            return gone
        }
        // Released outside the lock: the deinitializers of a request may run any code.
        withExtendedLifetime(gone) {}
    }

    func note(unmatched: UnmatchedRequest) { state.change { $0.unmatched.append(unmatched) } }

    func note(unusable problem: StubProblem) { state.change { $0.unusable.append(problem) } }

    /// The next answer of a route, taken once; nil if it is exhausted.
    func claim(_ answer: StubAnswer, of route: Int) -> StubAnswer.Step? {
        state.change { state in
            guard let step = answer.step(at: state.given[route]) else { return nil }
            state.given[route] += 1
            return step
        }
    }

    /// Whether that many requests arrived in time. Blocks the thread until then.
    package func wait(for count: Int, timeout: Duration) -> Bool {
        state.wait(upTo: timeout) { $0.requestCount >= count ? true : nil } ?? false
    }

    /// The same for async code. Cancelling the task ends it.
    func arrival(of count: Int, timeout: Duration) async -> Bool {
        await state.arrival(within: timeout) { $0.requestCount >= count ? true : nil } ?? false
    }
}

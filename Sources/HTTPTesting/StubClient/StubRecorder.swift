import HTTPSupport

/// The requests received and answers given: the mutable part of a stub.
package final class StubRecorder: Sendable {
    private struct Waiter {
        let id: Int
        let count: Int
        let wake: @Sendable () -> Void
    }

    private struct State {
        var requests: [StubbedRequest] = []
        var requestCount = 0
        /// The number of answers given by each route.
        var given: [Int]
        var unmatched: [UnmatchedRequest] = []
        var unusable: [StubProblem] = []
        var waiters: [Waiter] = []
        var lastID = 0
    }

    /// The number of requests kept.
    private let limit: Int
    private let state: Locked<State>

    init(routeCount: Int, limit: Int = .max) {
        self.limit = limit
        state = Locked(State(given: Array(repeating: 0, count: routeCount)))
    }

    var requests: [StubbedRequest] { Array(state.withLock { $0.requests }.suffix(limit)) }
    var requestCount: Int { state.withLock { $0.requestCount } }
    var given: [Int] { state.withLock { $0.given } }
    var unmatched: [UnmatchedRequest] { state.withLock { $0.unmatched } }
    var unusable: [StubProblem] { state.withLock { $0.unusable } }

    /// Adds a request, and wakes the waiters.
    func note(_ request: StubbedRequest) {
        let (due, gone) = state.withLock { [limit] state in
            state.requestCount += 1
            state.requests.append(request)
            var gone: ArraySlice<StubbedRequest> = []
            // Removed in batches, so that the cost of each stays constant.
            if limit < .max, state.requests.count >= 2 * limit {
                gone = state.requests.prefix(state.requests.count - limit)
                state.requests = Array(state.requests.suffix(limit))
            }
            guard !state.waiters.isEmpty else { return ([Waiter](), gone) }
            let due = state.waiters.filter { [count = state.requestCount] in $0.count <= count }
            state.waiters.removeAll { [count = state.requestCount] in $0.count <= count }
            return (due, gone)
        }
        for waiter in due { waiter.wake() }
        // Released outside the lock: the deinitializers of a request may run any code.
        withExtendedLifetime(gone) {}
    }

    func note(unmatched: UnmatchedRequest) { state.withLock { $0.unmatched.append(unmatched) } }

    func note(unusable problem: StubProblem) { state.withLock { $0.unusable.append(problem) } }

    /// The next answer of a route, taken once; nil if it is exhausted.
    func claim(_ answer: StubAnswer, of route: Int) -> StubAnswer.Step? {
        state.withLock { state in
            guard let step = answer.step(at: state.given[route]) else { return nil }
            state.given[route] += 1
            return step
        }
    }

    /// Runs `wake` when that many requests have arrived; at once if they already have. A wait that is over is to be removed.
    private func notify(at count: Int, _ wake: @escaping @Sendable () -> Void) -> Int {
        let (id, isThere) = state.withLock { state in
            state.lastID += 1
            let isThere = state.requestCount >= count
            if !isThere { state.waiters.append(Waiter(id: state.lastID, count: count, wake: wake)) }
            return (state.lastID, isThere)
        }
        if isThere { wake() }
        return id
    }

    private func removeWaiter(_ id: Int) { state.withLock { state in state.waiters.removeAll { $0.id == id } } }

    package var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Whether that many requests arrived in time. Blocks the thread until then.
    package func wait(for count: Int, timeout: Duration) -> Bool {
        let signal = Signal()
        let waiter = notify(at: count) { signal.fire() }
        defer { removeWaiter(waiter) }
        return signal.wait(until: .now + timeout) || requestCount >= count
    }

    /// The same for async code. Cancelling the task ends it.
    func arrival(of count: Int, timeout: Duration) async -> Bool {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let waiter = notify(at: count) { arrival.finish() }
        defer { removeWaiter(waiter) }
        let timer = Task {
            // A longer time than can be counted would end the process.
            try? await Task.sleep(for: TimeSpan(timeout).duration)
            arrival.finish()
        }
        for await _ in arrivals {}
        timer.cancel()
        return requestCount >= count
    }
}

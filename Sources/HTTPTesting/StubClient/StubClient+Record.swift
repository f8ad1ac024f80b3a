/// The calls so far. Each property is a snapshot.
extension StubClient {
    /// Every request with its body, in order of arrival, including those of redirects.
    public var requests: [StubbedRequest] { recorder.requests }

    /// The number of requests.
    public var requestCount: Int { recorder.requestCount }

    /// The requests to a URL of this pattern, with the values of its names. Empty if the pattern is invalid.
    public func requests(to pattern: String, _ matchers: RequestMatcher...) -> [StubbedRequest] {
        requests(of: StubRoute(method: nil, pattern, matchers, .ok))
    }

    /// The same for one method.
    public func requests(_ method: HTTPMethod, to pattern: String, _ matchers: RequestMatcher...) -> [StubbedRequest] {
        requests(of: StubRoute(method: method, pattern, matchers, .ok))
    }

    private func requests(of route: StubRoute) -> [StubbedRequest] {
        let route = CompiledRoute(route, base: script.base)
        return requests.compactMap(route.taking)
    }

    /// The requests that no route has answered.
    public var unmatched: [UnmatchedRequest] { recorder.unmatched }

    /// What a test may wait for.
    public struct Event: Sendable {
        let count: Int

        /// At least `count` requests have arrived, including held and pending ones.
        public static func requests(_ count: Int) -> Event { Event(count: count) }
    }

    /// Waits until `event` has happened. It blocks the calling thread.
    ///
    /// - Throws: A `StubVerificationError` if it has not happened within `timeout`, which is real time.
    @available(*, noasync)
    public func wait(for event: Event, timeout: Duration = .seconds(5)) throws(StubVerificationError) {
        if !recorder.wait(for: event.count, timeout: timeout) { throw missing(event.count, timeout) }
    }

    /// The same for async code. It also throws when the task is cancelled.
    public func wait(for event: Event, timeout: Duration = .seconds(5)) async throws(StubVerificationError) {
        if await !recorder.arrival(of: event.count, timeout: timeout) { throw missing(event.count, timeout) }
    }

    private func missing(_ count: Int, _ timeout: Duration) -> StubVerificationError {
        StubVerificationError(problems: [.missing(expected: count, received: requestCount, timeout: timeout)])
    }
}

/// Whether all calls were as scripted.
extension StubClient {
    /// The differences from the script: requests that no route answers, unused routes, unfinished sequences, and
    /// invalid parts of the script. Routes with an `.optional()` answer need not be used. Empty if there are none.
    public var problems: [StubProblem] {
        let unusable = script.routes.compactMap { route in
            route.problem.map { StubProblem.unusable(route.route, $0) }
        }
        let unused = zip(script.routes, recorder.given).compactMap { route, given in
            route.problem == nil ? Self.shortfall(route.route, given: given) : nil
        }
        return unusable + recorder.unusable + recorder.unmatched.map { .unmatched($0) } + unused
    }

    private static func shortfall(_ route: StubRoute, given: Int) -> StubProblem? {
        let expected = route.answer.steps.count
        guard !route.answer.mayStayUnused, given < expected else { return nil }
        return given == 0 ? .unused(route) : .unfinished(route, given: given, expected: expected)
    }

    /// Throws if there are any problems. Call it at the end of a test.
    public func verify() throws(StubVerificationError) {
        let problems = problems
        if !problems.isEmpty { throw StubVerificationError(problems: problems) }
    }
}

import HTTPTesting

extension Sequence<ReceivedRequest> {
    /// The requests that meet every condition of `pattern`, in order.
    public func matching(_ pattern: MockServer.Pattern) -> [ReceivedRequest] { filter(pattern.matches) }

    /// The requests with this method and path that meet all conditions; see `MockServer.Pattern`.
    public func matching(_ method: HTTPMethod, _ path: String, _ matchers: RequestMatcher...) -> [ReceivedRequest] {
        matching(MockServer.Pattern(method, path, matchers))
    }
}

/// Assertions about received requests. They need the requests to be kept; see `Recording`.
extension MockServer {
    /// Checks that `count` requests match `pattern`, and returns them.
    ///
    /// ```swift
    /// try server.expect(.init(nil, "/orders/**").matching("has a body") { $0.bodyByteCount > 0 }, count: 2)
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the requests.
    ///   - count: The expected number; exactly one by default.
    /// - Throws: `ExpectationFailure` with what was received, or why nothing can match.
    @discardableResult
    public func expect(_ pattern: Pattern, count: Count = 1) throws(ExpectationFailure) -> [ReceivedRequest] {
        switch try sight(of: pattern, count, waited: .zero) {
        case .enough(let matching): return matching
        case .tooFew(let failure, _): throw failure
        }
    }

    /// Checks that `count` requests had this method and path and meet all conditions, and returns them.
    ///
    /// ```swift
    /// try server.expect(.get, "/users/*", count: 2)
    /// try server.expect(.post, "/orders", .header("Idempotency-Key", "7"), .json(["item": 1]))
    /// ```
    ///
    /// - Throws: `ExpectationFailure` with what was received.
    @discardableResult
    public func expect(
        _ method: HTTPMethod, _ path: String, _ matchers: RequestMatcher..., count: Count = 1
    ) throws(ExpectationFailure) -> [ReceivedRequest] { try expect(Pattern(method, path, matchers), count: count) }

    /// Checks that `count` requests match `pattern`, and returns them; waits for the smallest expected number, but for no
    /// surplus requests. It blocks the calling thread.
    ///
    /// ```swift
    /// try server.expect(.init(.get, "/poll"), count: .atLeast(3), within: .seconds(2))
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the requests.
    ///   - count: The expected number; exactly one by default.
    ///   - timeout: How long to wait.
    /// - Throws: `ExpectationFailure`, as without a wait.
    @available(*, noasync)
    @discardableResult
    public func expect(
        _ pattern: Pattern, count: Count = 1, within timeout: Duration
    ) throws(ExpectationFailure) -> [ReceivedRequest] {
        let deadline = ContinuousClock.now + timeout
        while true {
            switch try sight(of: pattern, count, waited: timeout) {
            case .enough(let matching): return matching
            case .tooFew(let failure, let more):
                let left = ContinuousClock.now.duration(to: deadline)
                if (try? wait(for: more, timeout: left)) == nil { throw failure }
            }
        }
    }

    /// The same for asynchronous code.
    @discardableResult
    public func expect(
        _ pattern: Pattern, count: Count = 1, within timeout: Duration
    ) async throws(ExpectationFailure) -> [ReceivedRequest] {
        let deadline = ContinuousClock.now + timeout
        while true {
            switch try sight(of: pattern, count, waited: timeout) {
            case .enough(let matching): return matching
            case .tooFew(let failure, let more):
                let left = ContinuousClock.now.duration(to: deadline)
                if (try? await wait(for: more, timeout: left)) == nil { throw failure }
            }
        }
    }

    private enum Sight {
        case enough([ReceivedRequest])
        /// More may match when there are `more`.
        case tooFew(ExpectationFailure, more: Event<Void>)
    }

    /// What matches now.
    private func sight(
        of pattern: Pattern, _ count: Count, waited: Duration
    ) throws(ExpectationFailure) -> Sight {
        if let problem = pattern.problem { throw ExpectationFailure([problem]) }
        if core.log.recording == .none { throw ExpectationFailure([MockServerError.notRecording.description]) }
        // Counted first: a request that arrives in between only causes another check.
        let seen = requestCount
        let received = requests
        let matching = received.matching(pattern)
        guard count.range.contains(matching.count) else {
            let failure = ExpectationFailure(pattern, count, received: received, waited: waited)
            guard matching.count < count.range.lowerBound else { throw failure }
            return .tooFew(failure, more: .requests(seen + 1))
        }
        return .enough(matching)
    }

    /// Checks that everything went as scripted: each route can match something, and with `expecting:` answered that many
    /// requests, every queued response was used, every request got a possible answer, and clients kept to the protocol.
    ///
    /// - Throws: `ExpectationFailure` with all differences.
    public func verify() throws(ExpectationFailure) {
        let received = requests
        let state = core.log.state.read { ($0.misuses, $0.unscripted, $0.protocolViolations) }
        var problems = core.script.handlers.routes.compactMap { $0.problem(received: received) }
        if queuedCount > 0 { problems.append("\(queuedCount) queued responses were not asked for") }
        problems += state.1.map { "nothing was scripted for \($0)" }
        let broken = state.2.map { "connection \($0.connection) broke off or broke a rule: \($0.reason)" }
        problems += (state.0 + broken).map(ASCII.printable)
        if !problems.isEmpty { throw ExpectationFailure(problems) }
    }
}

public import HTTPCore

/// Answers by what is asked for. Queued responses go before routes, and routes before `handler`; of several routes that
/// fit, the one that was added first answers.
extension MockServer {
    /// Answers the requests that match `pattern`.
    ///
    /// ```swift
    /// server.on(.init(.get, "/users/*"), expecting: .atLeast(1)) { _ in .json(#"{"name": "Ada"}"#) }
    /// server.on(.init(.put, "/files/**"), conditions: .bandwidth(bytesPerSecond: 50_000)) { _ in .status(.created) }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: Which requests.
    ///   - count: How many requests it has to answer for `verify()` to pass; any number by default.
    ///   - conditions: How slow the way is for these requests.
    ///   - handler: Makes the answer, on a thread as `MockServer.Handler` says.
    public func on(
        _ pattern: Pattern, expecting count: Count? = nil, conditions: Conditions = Conditions(),
        _ handler: @escaping Handler
    ) {
        let route = Route(pattern, count, conditions, handler)
        core.script.changeHandlers { $0.routes.append(route) }
    }

    /// Answers the requests with this method and path, a `Pattern`'s, by `response`.
    ///
    /// ```swift
    /// server.on(.get, "/health", .text("fine"))
    /// ```
    public func on(
        _ method: HTTPMethod, _ path: String, expecting count: Count? = nil, conditions: Conditions = Conditions(),
        _ response: MockResponse
    ) {
        on(Pattern(method, path), expecting: count, conditions: conditions) { _ in response }
    }
}

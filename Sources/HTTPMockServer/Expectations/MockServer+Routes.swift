@_exported public import HTTPCore

/// Routes. A queued response takes precedence over routes, and a route over `handler`. The first matching route
/// answers.
extension MockServer {
    /// Answers the requests that match `pattern`.
    ///
    /// ```swift
    /// server.on(.init(nil, "/files/**"), conditions: .bandwidth(bytesPerSecond: 50_000)) { _ in .status(.created) }
    /// ```
    ///
    /// - Parameters:
    ///   - pattern: The pattern of the requests.
    ///   - count: The number of requests it must answer for `verify()` to pass; any number by default.
    ///   - conditions: The network conditions of these requests.
    ///   - handler: Makes the answer, on the thread that `MockServer.Handler` describes.
    /// - Returns: This server, to add the next route.
    @discardableResult
    public func on(
        _ pattern: Pattern, expecting count: Count? = nil, conditions: Conditions = Conditions(),
        _ handler: @escaping Handler
    ) -> MockServer {
        let route = Route(pattern, count, conditions, handler)
        core.script.changeHandlers { $0.routes.append(route) }
        return self
    }

    /// The same with one answer for all: `server.on(.init(nil, "/health"), answer: .text("fine"))`.
    @discardableResult
    public func on(
        _ pattern: Pattern, expecting count: Count? = nil, conditions: Conditions = Conditions(), answer: MockResponse
    ) -> MockServer {
        on(pattern, expecting: count, conditions: conditions) { _ in answer }
    }

    /// Answers the requests with this method and path that meet all conditions, which are those of a `Pattern`, like a route of a
    /// `StubClient`.
    ///
    /// ```swift
    /// server.on(.get, "/health", answer: .text("fine")).on(.get, "/users/{id}", answer: .json(user))
    /// server.on(.get, "/users", .header("Accept", "text/csv"), expecting: .atLeast(1), answer: .text("1,Ada"))
    /// ```
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ path: String, _ matchers: RequestMatcher..., expecting count: Count? = nil,
        conditions: Conditions = Conditions(), answer: MockResponse
    ) -> MockServer {
        on(Pattern(method, path, matchers), expecting: count, conditions: conditions) { _ in answer }
    }

    /// Answers the requests with this method and path with the result of `handler`.
    ///
    /// ```swift
    /// server.on(.get, "/issues/{id}") { request in .json(["id": request["id"], "page": request.query("page")]) }
    /// ```
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ path: String, expecting count: Count? = nil, conditions: Conditions = Conditions(),
        _ handler: @escaping Handler
    ) -> MockServer {
        on(Pattern(method, path), expecting: count, conditions: conditions, handler)
    }

    /// Answers the requests with this method and path that meet all conditions with the result of `handler`, which is a trailing
    /// closure.
    ///
    /// ```swift
    /// server.on(.post, "/users", .header("Content-Type", "text/csv")) { request in .data(request.body) }
    /// ```
    @discardableResult
    public func on(
        _ method: HTTPMethod, _ path: String, _ matchers: RequestMatcher..., expecting count: Count? = nil,
        conditions: Conditions = Conditions(), _ handler: @escaping Handler
    ) -> MockServer {
        on(Pattern(method, path, matchers), expecting: count, conditions: conditions, handler)
    }
}

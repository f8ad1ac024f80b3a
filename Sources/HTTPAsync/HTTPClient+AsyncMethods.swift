/// Awaited calls for the common methods, with the blocking forms' names. Each calls `send`.
///
///     let issues = try await client.get("https://api.example.com/issues", .query("page", 2))
///     try await client.post("https://api.example.com/issues", .json(issue) |> .bearer(token))
extension HTTPClient {
    /// Sends a GET with `steps` and awaits the response. Any status is a response; an invalid URL throws
    /// `.invalidRequest`.
    @discardableResult
    public func get(
        _ url: some URLConvertible, _ steps: RequestStep = .none, priority: Dispatcher.Priority? = nil,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.get(url) |> steps, priority: priority, on: dispatcher, isolation: isolation)
    }

    /// Sends a POST with `steps`, including its body, and awaits the response.
    @discardableResult
    public func post(
        _ url: some URLConvertible, _ steps: RequestStep = .none, priority: Dispatcher.Priority? = nil,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.post(url) |> steps, priority: priority, on: dispatcher, isolation: isolation)
    }

    /// Sends a PUT with `steps`, including its body, and awaits the response.
    @discardableResult
    public func put(
        _ url: some URLConvertible, _ steps: RequestStep = .none, priority: Dispatcher.Priority? = nil,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.put(url) |> steps, priority: priority, on: dispatcher, isolation: isolation)
    }

    /// Sends a PATCH (RFC 5789) with `steps`, including its body, and awaits the response.
    @discardableResult
    public func patch(
        _ url: some URLConvertible, _ steps: RequestStep = .none, priority: Dispatcher.Priority? = nil,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.patch(url) |> steps, priority: priority, on: dispatcher, isolation: isolation)
    }

    /// Sends a DELETE with `steps` and awaits the response.
    @discardableResult
    public func delete(
        _ url: some URLConvertible, _ steps: RequestStep = .none, priority: Dispatcher.Priority? = nil,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.delete(url) |> steps, priority: priority, on: dispatcher, isolation: isolation)
    }
}

public import HTTPCore

/// One awaited call for each common method, with the blocking forms' names; every one ends in `send`.
///
///     let issues = try await client.get("https://api.example.com/issues", .query("page", 2))
///     try await client.post("https://api.example.com/issues", .json(issue) |> .bearer(token))
extension HTTPClient {
    @discardableResult
    public func get(
        _ url: some URLConvertible, _ steps: RequestStep = .none, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.get(url) |> steps, on: dispatcher, isolation: isolation)
    }

    @discardableResult
    public func head(
        _ url: some URLConvertible, _ steps: RequestStep = .none, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.head(url) |> steps, on: dispatcher, isolation: isolation)
    }

    @discardableResult
    public func post(
        _ url: some URLConvertible, _ steps: RequestStep = .none, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.post(url) |> steps, on: dispatcher, isolation: isolation)
    }

    @discardableResult
    public func put(
        _ url: some URLConvertible, _ steps: RequestStep = .none, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.put(url) |> steps, on: dispatcher, isolation: isolation)
    }

    @discardableResult
    public func patch(
        _ url: some URLConvertible, _ steps: RequestStep = .none, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.patch(url) |> steps, on: dispatcher, isolation: isolation)
    }

    @discardableResult
    public func delete(
        _ url: some URLConvertible, _ steps: RequestStep = .none, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.delete(url) |> steps, on: dispatcher, isolation: isolation)
    }

    /// `HTTPMethod.query`: a question in the body, which does no more than a GET.
    @discardableResult
    public func query(
        _ url: some URLConvertible, _ steps: RequestStep = .none, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.query(url) |> steps, on: dispatcher, isolation: isolation)
    }

    @discardableResult
    public func options(
        _ url: some URLConvertible, _ steps: RequestStep = .none, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(.options(url) |> steps, on: dispatcher, isolation: isolation)
    }
}

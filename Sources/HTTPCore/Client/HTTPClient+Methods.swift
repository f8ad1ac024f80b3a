/// One method for each common HTTP method. Each calls `send`, and throws what it throws.
///
///     let issues = try client.get("https://api.example.com/issues", .query("page", 2))
///     try client.post("https://api.example.com/issues", .json(issue) |> .bearer(token))
extension HTTPClient {
    /// Sends a GET with `steps` and waits for the response. Any status is a response; an invalid URL throws
    /// `.invalidRequest`.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    @discardableResult
    public func get(_ url: some URLConvertible, _ steps: RequestStep = .none) throws(HTTPError) -> Response {
        try send(.get(url) |> steps)
    }

    /// Sends a POST with `steps`, including its body, and waits for the response. Any status is a response.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    @discardableResult
    public func post(_ url: some URLConvertible, _ steps: RequestStep = .none) throws(HTTPError) -> Response {
        try send(.post(url) |> steps)
    }

    /// Sends a PUT with `steps`, including its body, and waits for the response. Any status is a response.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    @discardableResult
    public func put(_ url: some URLConvertible, _ steps: RequestStep = .none) throws(HTTPError) -> Response {
        try send(.put(url) |> steps)
    }

    /// Sends a PATCH (RFC 5789) with `steps`, including its body, and waits for the response. Any status is a response.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    @discardableResult
    public func patch(_ url: some URLConvertible, _ steps: RequestStep = .none) throws(HTTPError) -> Response {
        try send(.patch(url) |> steps)
    }

    /// Sends a DELETE with `steps` and waits for the response. Any status is a response.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    @discardableResult
    public func delete(_ url: some URLConvertible, _ steps: RequestStep = .none) throws(HTTPError) -> Response {
        try send(.delete(url) |> steps)
    }
}

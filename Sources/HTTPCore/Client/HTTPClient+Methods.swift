/// One method for each common HTTP method. Each calls `executeRequest`.
///
///     client.get("https://api.example.com/issues", .query("page", 2))
///     client.post("https://api.example.com/issues", .json(issue) |> .bearer(token))
extension HTTPClient {
    /// Sends a GET with `steps` and waits for the response. Any status is a success; an invalid URL is
    /// `.invalidRequest`.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func get(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.get(url) |> steps)
    }

    /// Sends a HEAD with `steps` and waits for the response, which has no body (RFC 9110 §9.3.2). Any status is a
    /// success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func head(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.head(url) |> steps)
    }

    /// Sends a POST with `steps`, including its body, and waits for the response. Any status is a success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func post(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.post(url) |> steps)
    }

    /// Sends a PUT with `steps`, including its body, and waits for the response. Any status is a success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func put(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.put(url) |> steps)
    }

    /// Sends a PATCH (RFC 5789) with `steps`, including its body, and waits for the response. Any status is a success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func patch(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.patch(url) |> steps)
    }

    /// Sends a DELETE with `steps` and waits for the response. Any status is a success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func delete(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.delete(url) |> steps)
    }

    /// Sends a QUERY with `steps` and waits for the response. The query is in the body, and the request is safe like a
    /// GET. Any status is a success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func query(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.query(url) |> steps)
    }

    /// Sends an OPTIONS with `steps` and waits for the response. Any status is a success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func options(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.options(url) |> steps)
    }
}

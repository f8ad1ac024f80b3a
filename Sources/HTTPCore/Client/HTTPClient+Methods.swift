/// One call for each common method; every one ends in `executeRequest`.
///
///     client.get("https://api.example.com/issues", .query("page", 2))
///     client.post("https://api.example.com/issues", .json(issue) |> .bearer(token))
extension HTTPClient {
    /// Sends a GET with `steps` and waits for the response. Any status is a success; a URL that cannot be used is
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

    /// Sends a POST with `steps`, among them its body, and waits for the response. Any status is a success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func post(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.post(url) |> steps)
    }

    /// Sends a PUT with `steps`, among them its body, and waits for the response. Any status is a success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func put(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.put(url) |> steps)
    }

    /// Sends a PATCH (RFC 5789) with `steps`, among them its body, and waits for the response. Any status is a
    /// success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func patch(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.patch(url) |> steps)
    }

    /// Sends a DELETE with `steps` and waits for the response. Any status is a success.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func delete(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.delete(url) |> steps)
    }

    /// Sends a QUERY with `steps` and waits for the response: a question in the body, which does no more than a GET. Any
    /// status is a success.
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

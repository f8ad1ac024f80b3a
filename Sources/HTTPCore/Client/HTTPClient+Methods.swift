/// One call for each common method; every one ends in `executeRequest`.
///
///     client.get("https://api.example.com/issues", .query("page", 2))
///     client.post("https://api.example.com/issues", .json(issue) |> .bearer(token))
extension HTTPClient {
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func get(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.get(url) |> steps)
    }

    @available(*, noasync, message: "import HTTPAsync and await it")
    public func head(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.head(url) |> steps)
    }

    @available(*, noasync, message: "import HTTPAsync and await it")
    public func post(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.post(url) |> steps)
    }

    @available(*, noasync, message: "import HTTPAsync and await it")
    public func put(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.put(url) |> steps)
    }

    @available(*, noasync, message: "import HTTPAsync and await it")
    public func patch(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.patch(url) |> steps)
    }

    @available(*, noasync, message: "import HTTPAsync and await it")
    public func delete(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.delete(url) |> steps)
    }

    /// `HTTPMethod.query`: a question in the body, which does no more than a GET.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func query(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.query(url) |> steps)
    }

    @available(*, noasync, message: "import HTTPAsync and await it")
    public func options(_ url: some URLConvertible, _ steps: RequestStep = .none) -> Result<Response, HTTPError> {
        executeRequest(.options(url) |> steps)
    }
}

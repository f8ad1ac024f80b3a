import Straightline

// The call sites of the design: on one line, without a type written twice.

struct Issue: Codable {
    let title: String
}

func sendIssue(_ issue: Issue, token: String, client: some HTTPClient) -> Result<Response, HTTPError> {
    let common: RequestStep = .header("Accept-Language", "en") |> .bearer(token)
    // swift-format-ignore
    let result = client.executeRequest(.post("https://api.example.com/issues") |> common |> .json(issue) |> .timeout(.seconds(5)))
    return result
}

func build(_ draft: MutableRequest) throws(HTTPError) -> Request {
    try draft |> Request.init
}

func buildAndSend(token: String, client: any HTTPClient) throws(HTTPError) -> Response {
    let request = try .get("https://api.example.com/issues") |> .query("page", 2) |> .bearer(token) |> Request.init
    return try client.send(request)
}

func readIssue(client: CurlTransport) throws(HTTPError) -> Issue {
    try client.execute(.get("https://api.example.com/issues/1"), as: Issue.self)
}

func readIssueByInference(client: CurlTransport) throws(HTTPError) -> Issue {
    try client.execute(.get("https://api.example.com/issues/1"))
}

func bodyInAnyCase(of result: Result<Response, HTTPError>) throws(HTTPError) -> String {
    switch result.validated() {
    case .success(let response): return try response.text()
    case .failure(.unacceptableStatus(let response)): return try response.text()
    case .failure(let error): return error.description
    }
}

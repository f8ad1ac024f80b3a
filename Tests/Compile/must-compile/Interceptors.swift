import Straightline

// An interceptor is a closure, and a client with interceptors around it is a client.

let passing = Interceptor { request, next in next.executeRequest(request) }

func counting(_ count: @escaping @Sendable () -> Void) -> Interceptor {
    Interceptor { request, next in
        count()
        return next.executeRequest(request)
    }
}

func secondChance(_ request: Request, _ next: any HTTPClient) -> Result<Response, HTTPError> {
    let first = next.executeRequest(request)
    if case .success(let response) = first, response.status.rawValue < 500 { return first }
    return next.executeRequest(request)
}

func decorate(_ transport: CurlTransport) -> any HTTPClient {
    transport.intercepted(by: passing, counting {}, Interceptor(secondChance))
}

func decorateAgain(_ client: some HTTPClient) -> any HTTPClient {
    client.intercepted(by: passing).intercepted(by: passing)
}

func decorate(_ client: some HTTPClient, with list: [Interceptor]) -> any HTTPClient {
    client.intercepted(by: list).intercepted(by: [.applying(.header("A", "1"))])
}

// A step is applied to a request as to a draft.

let blocking = Interceptor { request, next in
    Result { () throws(HTTPError) in try next.send(request |> .header("Stamp", "1") |> .timeout(.seconds(1))) }
}

let suspending = Interceptor { (request, next) async throws(HTTPError) -> Response in
    try await next.send(request |> .header("Stamp", "1"))
}

func stamped(_ request: Request, _ step: RequestStep) throws(HTTPError) -> Request { try Request(request |> step) }

// A step that is made from the request may throw any error.

func signature(of request: Request) throws -> String { "\(request.url)" }

let signing = Interceptor.applying { request in .header("Signature", try signature(of: request)) }

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

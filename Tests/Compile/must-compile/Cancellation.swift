import Straightline

// A token can be bound around a call of any result type.

func run(_ request: Request, client: any HTTPClient, token: CancellationToken) -> Result<Response, HTTPError> {
    token.run { client.executeRequest(request) }
}

func runThrowing(_ request: Request, client: any HTTPClient, token: CancellationToken) throws(HTTPError) -> Response {
    try token.run { () throws(HTTPError) in try client.send(request) }
}

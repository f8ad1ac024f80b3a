import HTTPCore

// A token is bound around a call, whatever the call returns.

func run(_ request: Request, client: any HTTPClient, token: CancellationToken) -> Result<Response, HTTPError> {
    token.run { client.executeRequest(request) }
}

func runThrowing(_ request: Request, client: any HTTPClient, token: CancellationToken) throws(HTTPError) -> Response {
    try token.run { () throws(HTTPError) in try client.send(request) }
}

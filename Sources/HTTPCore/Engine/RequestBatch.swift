/// Requests that are made together, and who takes the results.
package struct RequestBatch {
    package let requests: [Request]
    package let maxConcurrent: Int
    /// Those that end single requests, at the same places.
    package let tokens: [CancellationToken?]
    /// Called once for each request, on the thread that makes the batch.
    package let deliver: (Int, Result<Response, HTTPError>) -> Void

    /// The token of the request at `index`.
    package func token(_ index: Int) -> CancellationToken? { index < tokens.count ? tokens[index] : nil }
}

extension RequestBatch {
    /// Makes the requests over any client, one after the other. What is cancelled before its turn is not made: not all
    /// clients look at their token.
    @available(*, noasync)
    package func execute(oneByOneOver client: some HTTPClient) {
        for (index, request) in requests.enumerated() {
            let token = token(index)
            if CancellationToken.current?.isCancelled ?? false || token?.isCancelled ?? false {
                deliver(index, .failure(.cancelled(CallRecord(request))))
            } else if let token {
                deliver(index, token.run { client.executeRequest(request) })
            } else {
                deliver(index, client.executeRequest(request))
            }
        }
    }
}

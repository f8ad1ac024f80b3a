/// Many requests in one blocking call.
///
/// A `CurlTransport` sends them concurrently on the calling thread and starts no other thread. This also works through
/// the package's own interceptors. The requests share connections: over HTTP/2 one per origin, else at most one per
/// request. Any other client, including a transport inside a closure interceptor, sends them one after the other.
/// Awaited calls in a task group, or futures, send them concurrently over any client.
///
/// Each request behaves as in `executeRequest`, with its own timeouts, redirects, retry and limits. Its total timeout
/// counts from when it starts; a `CallDeadline` around the batch limits all of it. An ambient `CancellationToken`
/// cancels all requests that are not over. The closures of a request (sources, sinks, progress) run on the calling
/// thread, and while one of them runs the others wait.
extension HTTPClient {
    /// Sends all `requests` and waits for their responses. One that cannot be built gives `.invalidRequest` at its
    /// index, and the others are sent.
    ///
    ///     let results = client.executeRequests(urls.map { .get($0) })
    ///
    /// - Parameters:
    ///   - requests: The requests to send.
    ///   - maxConcurrent: The largest number of concurrent requests, 64 by default; below 1 counts as 1. The next
    ///     starts when one ends.
    /// - Returns: The results in the order of the requests.
    @available(*, noasync, message: "call it within run(_:) of a Dispatcher, or await calls in a task group")
    public func executeRequests(
        _ requests: [some RequestConvertible], maxConcurrent: Int = 64
    ) -> [Result<Response, HTTPError>] {
        var results = [Result<Response, HTTPError>?](repeating: nil, count: requests.count)
        executeRequests(requests, maxConcurrent: maxConcurrent) { results[$0] = $1 }
        return zip(results, requests).map { result, request in
            result ?? .failure(.cancelled((try? request.asRequest()).map { CallRecord(unsent: $0) }))
        }
    }

    /// Sends all `requests` and delivers each result as it arrives. Those that cannot be built come first.
    ///
    /// - Parameters:
    ///   - requests: The requests to send.
    ///   - maxConcurrent: The largest number of concurrent requests, 64 by default; below 1 counts as 1. The next
    ///     starts when one ends.
    ///   - take: Receives the index of a request and its result, once for each, on this thread. Running requests wait
    ///     meanwhile. It may make requests itself.
    @available(*, noasync, message: "call it within run(_:) of a Dispatcher, or await calls in a task group")
    public func executeRequests(
        _ requests: [some RequestConvertible], maxConcurrent: Int = 64,
        _ take: (_ index: Int, _ result: Result<Response, HTTPError>) -> Void
    ) {
        let all = requests.map { request in Result { () throws(HTTPError) in try request.asRequest() } }
        var places: [Int] = []
        for (place, request) in all.enumerated() {
            if case .failure(let error) = request { take(place, .failure(error)) } else { places.append(place) }
        }
        let built = all.compactMap { try? $0.get() }
        withoutActuallyEscaping(take) { take in
            RequestBatch(requests: built, maxConcurrent: maxConcurrent) { [places] in take(places[$0], $1) }
                .execute(over: self)
        }
    }
}

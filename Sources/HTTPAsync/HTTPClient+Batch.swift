public import HTTPCore

/// Many requests in one blocking call, made on the threads of a dispatcher.
///
/// For clients that make one request at a time on a thread: stubs, `URLSessionTransport`, clients with a closure as
/// interceptor. A `CurlTransport` also works; without a dispatcher it makes all requests on the calling thread.
///
/// Each request has the result of `executeRequest`. It counts towards the dispatcher's limits, total and per host, in
/// addition to `maxConcurrent`; one that finds the queue full is `.overloaded` at its index. A total timeout counts
/// from when the request is submitted; a `CallDeadline` around the batch applies to all of it. An ambient
/// `CancellationToken` ends all unfinished requests. Closures of requests and interceptors run on the threads that make
/// the calls.
///
/// Within a call of the same dispatcher, the batch runs on that call's thread and never waits for its own slot: a plain
/// `CurlTransport` runs it concurrently, any other client one request after the other. Two dispatchers whose calls wait
/// for each other can still deadlock.
extension HTTPClient {
    /// Sends all `requests` on `dispatcher` and waits for their responses.
    ///
    ///     let results = client.executeRequests(requests, on: .shared, maxConcurrent: 8)
    ///
    /// - Parameters:
    ///   - requests: The requests to send.
    ///   - dispatcher: Makes the calls.
    ///   - maxConcurrent: The maximum number of requests that the dispatcher has at once.
    ///   - priority: Their place among waiting calls.
    ///   - tokens: The token at the index of a request cancels it. If there are fewer, the remaining requests have
    ///     none.
    /// - Returns: The results in the order of the requests.
    @available(*, noasync, message: "call it within perform(_:) of HTTPAsync, or await calls in a task group")
    public func executeRequests(
        _ requests: [Request], on dispatcher: Dispatcher, maxConcurrent: Int = 64,
        priority: Dispatcher.Priority = .normal, tokens: [CancellationToken?] = []
    ) -> [Result<Response, HTTPError>] {
        var results = [Result<Response, HTTPError>?](repeating: nil, count: requests.count)
        executeRequests(
            requests, on: dispatcher, maxConcurrent: maxConcurrent, priority: priority, tokens: tokens
        ) { results[$0] = $1 }
        return zip(results, requests).map { $0 ?? .failure(.cancelled(CallRecord($1))) }
    }

    /// The same for drafts. One that cannot be built gives `.invalidRequest` at its index, and the others are sent.
    @available(*, noasync, message: "call it within perform(_:) of HTTPAsync, or await calls in a task group")
    public func executeRequests(
        _ drafts: [MutableRequest], on dispatcher: Dispatcher, maxConcurrent: Int = 64,
        priority: Dispatcher.Priority = .normal, tokens: [CancellationToken?] = []
    ) -> [Result<Response, HTTPError>] {
        var results = [Result<Response, HTTPError>?](repeating: nil, count: drafts.count)
        executeRequests(
            drafts, on: dispatcher, maxConcurrent: maxConcurrent, priority: priority, tokens: tokens
        ) { results[$0] = $1 }
        return results.map { $0 ?? .failure(.cancelled(nil)) }
    }

    /// The same for drafts, with each result as it arrives. Those that cannot be built come first.
    @available(*, noasync, message: "call it within perform(_:) of HTTPAsync, or await calls in a task group")
    public func executeRequests(
        _ drafts: [MutableRequest], on dispatcher: Dispatcher, maxConcurrent: Int = 64,
        priority: Dispatcher.Priority = .normal, tokens: [CancellationToken?] = [],
        _ take: (_ index: Int, _ result: Result<Response, HTTPError>) -> Void
    ) {
        let built = BuiltRequests(drafts, tokens)
        for (index, error) in built.failures { take(index, .failure(error)) }
        executeRequests(
            built.requests, on: dispatcher, maxConcurrent: maxConcurrent, priority: priority, tokens: built.tokens
        ) { take(built.places[$0], $1) }
    }

    /// Sends all `requests` on `dispatcher` and delivers each result as it arrives.
    ///
    /// - Parameters:
    ///   - requests: The requests to send.
    ///   - dispatcher: Makes the calls.
    ///   - maxConcurrent: The maximum number of requests that the dispatcher has at once.
    ///   - priority: Their place among waiting calls.
    ///   - tokens: The token at the index of a request cancels it. If there are fewer, the remaining requests have
    ///     none.
    ///   - take: Called with the index of a request and its result, once for each, on this thread. Running requests
    ///     continue meanwhile; it may make requests, and cancel the rest.
    @available(*, noasync, message: "call it within perform(_:) of HTTPAsync, or await calls in a task group")
    public func executeRequests(
        _ requests: [Request], on dispatcher: Dispatcher, maxConcurrent: Int = 64,
        priority: Dispatcher.Priority = .normal, tokens: [CancellationToken?] = [],
        _ take: (_ index: Int, _ result: Result<Response, HTTPError>) -> Void
    ) {
        guard !dispatcher.pool.isWithinCall else {
            return executeRequests(requests, maxConcurrent: maxConcurrent, tokens: tokens, take)
        }
        DispatchedBatch(
            self, requests, on: dispatcher, maxConcurrent: maxConcurrent, priority: priority, tokens: tokens
        ).execute(take)
    }
}

public import HTTPCore

/// Many requests in one blocking call, made on the threads of a dispatcher.
///
/// For clients that can only make one request at a time on a thread: stubs, `URLSessionTransport`, those behind an interceptor
/// that is a closure. What a `CurlTransport` makes goes through the dispatcher, too; without one it makes them all on the
/// calling thread.
///
/// Each is what `executeRequest` would make of it, and each counts in the dispatcher: for its limits, in all and to a
/// host, which hold beside `maxConcurrent`; and one for which there is no room is `.overloaded` at its place. A total
/// timeout counts from when the request is handed to the dispatcher; a `CallDeadline` around the batch counts for all
/// of it. An ambient `CancellationToken` ends all that are not over. The closures of a request, and those of
/// interceptors, run on the threads that make the calls.
///
/// Within a call of the same dispatcher, whose slot it keeps, the batch is made on that call's own thread: by a plain
/// `CurlTransport` at once, by any other client one request after the other. So it never waits for its own slot. Two
/// dispatchers whose calls wait for each other can still use up all slots of both.
extension HTTPClient {
    /// Has `dispatcher` make all `requests`, and waits for their responses.
    ///
    ///     let results = client.executeRequests(requests, on: .shared, maxConcurrent: 8)
    ///
    /// - Parameters:
    ///   - requests: What is sent.
    ///   - dispatcher: Whose threads make the requests.
    ///   - maxConcurrent: How many of them the dispatcher has at once, at most; it gets the next one when one is over.
    ///   - priority: Which of the calls that wait goes first.
    ///   - tokens: Each ends the request at its own place; a shorter list leaves the rest without one.
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

    /// The same for drafts. One that fails to build is `.invalidRequest` at its place, and the others are sent.
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

    /// The same for drafts, with each result handed over as it comes. Those that fail to build come first.
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

    /// Has `dispatcher` make all `requests`, and hands over each result as it comes.
    ///
    /// - Parameters:
    ///   - requests: What is sent.
    ///   - dispatcher: Whose threads make the requests.
    ///   - maxConcurrent: How many of them the dispatcher has at once, at most.
    ///   - priority: Which of the calls that wait goes first.
    ///   - tokens: Each ends the request at its own place; a shorter list leaves the rest without one.
    ///   - take: Gets the place of a request and its result, once for each, on this thread. The requests under way go
    ///     on while it works; it may make requests itself, and cancel those that are left.
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

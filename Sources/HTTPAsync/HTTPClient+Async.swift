@_exported public import HTTPCore

/// Calls to await: no thread of the concurrency runtime sleeps until they are over.
///
/// They work on any client, and on any blocking member of it through `perform`. The work runs on a thread of the
/// dispatcher. Cancelling the task cancels the call, which then throws `.cancelled`; so does cancelling a
/// `CancellationToken` bound around it.
extension HTTPClient {
    /// Sends `request` and awaits the whole response. Any status is a response; `validated()` refuses what is not 2xx.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - priority: Which of the calls that wait goes first; by default what fits the task's priority.
    ///   - dispatcher: Whose threads make the call.
    ///   - isolation: The actor that the caller runs on; leave it to its default.
    /// - Throws: What the client's failure is; `.cancelled`, also when the task was cancelled before; `.overloaded` when
    ///   the dispatcher's queue is full; `.timedOut` when the request's total timeout ran out in the queue: it counts
    ///   from here.
    public func response(
        for request: Request, priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        let call = dispatcher.call(self, request)
        await dispatcher.run(call, priority: priority, isolation: isolation)
        return try call.value()
    }

    /// Builds and sends a request, and awaits the whole response. One that fails to build throws `.invalidRequest`, and
    /// nothing is sent. The rest is as for a finished request.
    public func response(
        for draft: MutableRequest, priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await response(for: Request(draft), priority: priority, on: dispatcher, isolation: isolation)
    }

    /// Runs blocking work with this client on a thread of the dispatcher, and awaits its result. For several calls in a row;
    /// a single one has an awaited form of the same name (`execute`, `send`, `download`), which costs less.
    ///
    ///     let user = try await client.perform { client in
    ///         client.execute(.post(login), as: Token.self).flatMap { client.execute(.get(me) |> .bearer($0.text), as: User.self) }
    ///     }
    ///
    /// The work has a thread and a slot of the dispatcher from its beginning to its end, and each of its calls a connection:
    /// they share none of HTTP/2 with calls on other threads. Its batches (`executeRequests`) do so among themselves.
    ///
    /// - Parameters:
    ///   - host: Where all of the work goes, for the limit of calls to one host, as a Host header names it:
    ///     `api.example.com`, `127.0.0.1:8080`. Without it each call that the work makes with the client it is given counts
    ///     at its own host while it lasts, and waits on its thread where that has as many as it may; batches do not.
    ///   - priority: Which of the calls that wait goes first; by default what fits the task's priority.
    ///   - timeout: How long the work may take, waiting for its turn included; nil for no limit. The calls it makes get
    ///     what is left; their own timeouts count from when they are sent.
    ///   - dispatcher: Whose threads do the work.
    ///   - work: May block, as often as it likes. Its calls end when the task is cancelled.
    ///   - isolation: The actor that the caller runs on; leave it to its default.
    /// - Throws: The work's failure; `.cancelled`, `.overloaded` and `.timedOut` as for `response(for:)`.
    public func perform<Value: Sendable>(
        host: String? = nil, priority: Dispatcher.Priority? = nil, timeout: Duration? = nil,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable (any HTTPClient) -> Result<Value, HTTPError>
    ) async throws(HTTPError) -> Value {
        let call = dispatcher.call(self, host: host, timeout: timeout, work)
        await dispatcher.run(call, priority: priority, isolation: isolation)
        return try call.value()
    }

    /// The same for work that returns what it comes to, or throws. Closures do not infer what they throw, so one that does
    /// says it:
    ///
    ///     let results = try await client.perform { $0.executeRequests(requests) }
    ///     let profile = try await client.perform { client throws(HTTPError) in
    ///         let login = try client.execute(logIn, as: Login.self).get()
    ///         return try client.execute(profile |> .bearer(login.token), as: Profile.self).get()
    ///     }
    @_disfavoredOverload
    public func perform<Value: Sendable>(
        host: String? = nil, priority: Dispatcher.Priority? = nil, timeout: Duration? = nil,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable (any HTTPClient) throws(HTTPError) -> Value
    ) async throws(HTTPError) -> Value {
        try await perform(host: host, priority: priority, timeout: timeout, on: dispatcher, isolation: isolation) {
            client in Result { () throws(HTTPError) in try work(client) }
        }
    }
}

@_exported public import HTTPCore

/// Awaited calls: they block no thread of the concurrency runtime.
///
/// They work with any client, and with any of its blocking functions through `perform`. A thread of the dispatcher does
/// the work. Cancelling the task cancels the call, which then throws `.cancelled`; so does cancelling a
/// `CancellationToken` bound around it.
extension HTTPClient {
    /// Sends `request` and awaits the whole response. Any status is a response; `validated()` accepts only 2xx.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - priority: Its place among waiting calls; by default it follows the task's priority.
    ///   - dispatcher: Makes the call.
    ///   - isolation: The actor that the caller runs on; leave it to its default.
    /// - Throws: The client's failure; `.cancelled`, also when the task was cancelled before; `.overloaded` when the
    ///   dispatcher's queue is full; `.timedOut` when the request's total timeout, which counts from here, passed in
    ///   the queue.
    @discardableResult
    public func send(
        _ request: Request, priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        let call = dispatcher.call(self, request)
        await dispatcher.run(call, priority: priority, isolation: isolation)
        return try call.value()
    }

    /// Builds and sends a request, and awaits the whole response. If it cannot be built, the call throws
    /// `.invalidRequest`, and nothing is sent. Otherwise as for a finished request.
    @discardableResult
    public func send(
        _ draft: MutableRequest, priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await send(Request(draft), priority: priority, on: dispatcher, isolation: isolation)
    }

    /// Runs blocking work with this client on a thread of the dispatcher, and awaits its result. Use it for several
    /// calls in a row; a single one has an awaited form of the same name (`execute`, `send`, `download`), which costs
    /// less.
    ///
    ///     let user = try await client.perform { client in
    ///         client.executeRequest(.post(login)).flatMap { client.executeRequest(.get(me) |> .bearer($0.text)) }
    ///     }
    ///
    /// The work occupies a thread and a slot of the dispatcher until it ends, and each of its calls a connection: they
    /// share no HTTP/2 connection with calls on other threads. Its batches (`executeRequests`) share connections among
    /// themselves.
    ///
    /// - Parameters:
    ///   - host: The host of all calls in the work, for the limit of calls to one host, as a Host header names it:
    ///     `api.example.com`, `127.0.0.1:8080`. Without it each call that the work makes with the given client counts
    ///     at its own host while it lasts, and waits on its thread where the limit is reached; batches do not.
    ///   - priority: Its place among waiting calls; by default it follows the task's priority.
    ///   - timeout: The longest time the work may take, queueing included; nil for no limit. Its calls get what is
    ///     left; their own timeouts count from when they are sent.
    ///   - dispatcher: Does the work.
    ///   - work: May block. Its calls end when the task is cancelled.
    ///   - isolation: The actor that the caller runs on; leave it to its default.
    /// - Throws: The work's failure; `.cancelled`, `.overloaded` and `.timedOut` as for `send`.
    public func perform<Value: Sendable>(
        host: String? = nil, priority: Dispatcher.Priority? = nil, timeout: Duration? = nil,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation,
        _ work: @escaping @Sendable (any HTTPClient) -> Result<Value, HTTPError>
    ) async throws(HTTPError) -> Value {
        let call = dispatcher.call(self, host: host, timeout: timeout, work)
        await dispatcher.run(call, priority: priority, isolation: isolation)
        return try call.value()
    }

    /// The same for work that returns a value or throws. Swift does not infer a closure's error type, so a throwing
    /// closure declares it:
    ///
    ///     let results = try await client.perform { $0.executeRequests(requests) }
    ///     let profile = try await client.perform { client throws(HTTPError) in
    ///         let login = try client.execute(logIn, as: Login.self)
    ///         return try client.execute(profile |> .bearer(login.token), as: Profile.self)
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

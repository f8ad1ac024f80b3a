public import HTTPCore

/// Calls that return at once and report to a callback.
///
///     let call = client.executeRequest(request, callbackQueue: .main) { result in … }
///     call.cancel()
///
/// They work on any client, and on any blocking member of it through `perform`. The callback runs once, whatever
/// happens, on the queue named. The handle need not be kept. An ambient `CancellationToken` cancels the call, too.
extension HTTPClient {
    /// Sends `request` and hands the response, or what kept it from coming, to `callback`.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - callbackQueue: Where `callback` runs. `.immediate` is the thread that has the result, whose slot is free by
    ///     then: one of the dispatcher's; the cancelling one, for a call that was still waiting; this one, before this returns,
    ///     for a call that is refused.
    ///   - priority: Which of the calls that wait goes first.
    ///   - dispatcher: Whose threads make the call.
    ///   - callback: Gets the client's result, or `.cancelled`; `.overloaded` when the dispatcher's queue is full;
    ///     `.timedOut` when the request's total timeout ran out in the queue: it counts from here.
    @discardableResult
    public func executeRequest(
        _ request: Request, priority: Dispatcher.Priority = .normal, callbackQueue: CallbackQueue,
        on dispatcher: Dispatcher = .shared, _ callback: @escaping @Sendable (Result<Response, HTTPError>) -> Void
    ) -> DispatchedCall {
        dispatcher.start(
            dispatcher.call(self, request), priority: priority, .callback(callbackQueue, callback))
    }

    /// Builds and sends a request. One that fails to build is `.invalidRequest`, and nothing is sent. The rest is as for
    /// a finished request.
    @discardableResult
    public func executeRequest(
        _ draft: MutableRequest, priority: Dispatcher.Priority = .normal, callbackQueue: CallbackQueue,
        on dispatcher: Dispatcher = .shared, _ callback: @escaping @Sendable (Result<Response, HTTPError>) -> Void
    ) -> DispatchedCall {
        do throws(HTTPError) {
            return executeRequest(
                try Request(draft), priority: priority, callbackQueue: callbackQueue, on: dispatcher, callback)
        } catch {
            let call = dispatcher.call(host: nil, timeout: nil) { Result<Response, HTTPError>.failure(error) }
            call.setCompletion(.callback(callbackQueue, callback))
            call.run(hasWaited: false) {}
            return DispatchedCall(pool: dispatcher.pool, call: call)
        }
    }

    /// Runs blocking work with this client on a thread of the dispatcher and hands its result to `callback`.
    ///
    ///     client.perform({ $0.execute(endpoint, as: User.self) }, callbackQueue: .main) { result in … }
    ///
    /// The parameters are those of `executeRequest` here and of `perform` for awaiting.
    @discardableResult
    public func perform<Value: Sendable>(
        host: String? = nil, priority: Dispatcher.Priority = .normal, timeout: Duration? = nil,
        _ work: @escaping @Sendable (any HTTPClient) -> Result<Value, HTTPError>, callbackQueue: CallbackQueue,
        on dispatcher: Dispatcher = .shared, _ callback: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> DispatchedCall {
        dispatcher.start(
            dispatcher.call(self, host: host, timeout: timeout, work), priority: priority,
            .callback(callbackQueue, callback))
    }
}

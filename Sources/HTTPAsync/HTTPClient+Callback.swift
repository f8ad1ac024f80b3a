public import HTTPFoundation

/// Calls that return at once and report to a callback.
///
///     let call = client.executeRequest(request, callbackQueue: .main) { result in … }
///     call.cancel()
///
/// They work with any client. The callback runs exactly once, on the given queue. The handle need not be kept. An ambient
/// `CancellationToken` cancels the call, too.
extension HTTPClient {
    /// Sends a request and passes the response or the failure to `callback`. If the request cannot be built, the failure
    /// is `.invalidRequest`, and nothing is sent.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - callbackQueue: Where `callback` runs. `.immediate` is the thread that has the result: a thread of the
    ///     dispatcher, whose slot is free by then; the cancelling thread for a call that was still queued; this thread,
    ///     before this returns, for a call that is refused. The callback inherits nothing from the code that runs there:
    ///     no task-local value, and so no token and no deadline, and no slot.
    ///   - priority: Its place among waiting calls.
    ///   - dispatcher: Makes the call.
    ///   - callback: Called with the client's result, or `.cancelled`; an `Overload` when the dispatcher's queue is
    ///     full; `.timedOut` when the request's total timeout, which counts from here, passed in the queue.
    @discardableResult
    public func executeRequest(
        _ request: some RequestConvertible, priority: Dispatcher.Priority = .normal, callbackQueue: CallbackQueue,
        on dispatcher: Dispatcher = .shared, _ callback: @escaping @Sendable (Result<Response, HTTPError>) -> Void
    ) -> DispatchedCall {
        let completion = Completion.callback(callbackQueue, callback)
        do throws(HTTPError) {
            return dispatcher.start(dispatcher.call(self, try request.asRequest(), to: completion), priority: priority)
        } catch {
            let call = dispatcher.call(host: nil, timeout: nil, to: completion) { .failure(error) }
            call.settlement.settle(with: .failure(error), from: .others)
            return DispatchedCall(pool: dispatcher.pool, call: call.job)
        }
    }

    /// Sends a request, accepts only a 2xx status, decodes the body as JSON on a thread of the dispatcher, and passes the
    /// value or the failure to `callback`. The other parameters are those of `executeRequest`.
    ///
    ///     client.execute(.get(url), as: User.self, callbackQueue: .main) { user in … }
    @discardableResult
    public func execute<Value: Decodable & Sendable>(
        _ request: some RequestConvertible, as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONCoding.standard.decoder, priority: Dispatcher.Priority = .normal,
        callbackQueue: CallbackQueue, on dispatcher: Dispatcher = .shared,
        _ callback: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> DispatchedCall {
        executeRequest(request, priority: priority, callbackQueue: .immediate, on: dispatcher) { result in
            let value = result.validated().decoded(as: Value.self, decoder: decoder)
            callbackQueue.run { callback(value) }
        }
    }
}

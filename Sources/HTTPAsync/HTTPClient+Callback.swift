#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPCore

/// Calls that return at once and report to a callback.
///
///     let call = client.executeRequest(request, callbackQueue: .main) { result in … }
///     call.cancel()
///
/// They work with any client, and with any of its blocking functions through `perform`. The callback runs exactly once,
/// on the given queue. The handle need not be kept. An ambient `CancellationToken` cancels the call, too.
extension HTTPClient {
    /// Sends `request` and passes the response or the failure to `callback`.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - callbackQueue: Where `callback` runs. `.immediate` is the thread that has the result: a thread of the
    ///     dispatcher, whose slot is free by then; the cancelling thread for a call that was still queued; this thread,
    ///     before this returns, for a call that is refused. The callback inherits nothing from the code that runs there:
    ///     no task-local value, and so no token and no deadline, and no slot.
    ///   - priority: Its place among waiting calls.
    ///   - dispatcher: Makes the call.
    ///   - callback: Called with the client's result, or `.cancelled`; `.overloaded` when the dispatcher's queue is
    ///     full; `.timedOut` when the request's total timeout, which counts from here, passed in the queue.
    @discardableResult
    public func executeRequest(
        _ request: Request, priority: Dispatcher.Priority = .normal, callbackQueue: CallbackQueue,
        on dispatcher: Dispatcher = .shared, _ callback: @escaping @Sendable (Result<Response, HTTPError>) -> Void
    ) -> DispatchedCall {
        dispatcher.start(
            dispatcher.call(self, request), priority: priority, .callback(callbackQueue, callback))
    }

    /// Builds and sends a request. If it cannot be built, the failure is `.invalidRequest`, and nothing is sent.
    /// Otherwise as for a finished request.
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
            call.refuse(error)
            return DispatchedCall(pool: dispatcher.pool, call: call)
        }
    }

    /// Sends a request, accepts only a 2xx status, decodes the body as JSON on a thread of the dispatcher, and passes the
    /// value or the failure to `callback`. The other parameters are those of `executeRequest`.
    ///
    ///     client.execute(.get(url), as: User.self, callbackQueue: .main) { user in … }
    @discardableResult
    public func execute<Value: Decodable & Sendable>(
        _ draft: MutableRequest, as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(),
        priority: Dispatcher.Priority = .normal, callbackQueue: CallbackQueue, on dispatcher: Dispatcher = .shared,
        _ callback: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> DispatchedCall {
        executeRequest(draft, priority: priority, callbackQueue: .immediate, on: dispatcher) { result in
            let value = result.validated().decoded(as: Value.self, decoder: decoder)
            callbackQueue.run { callback(value) }
        }
    }

    /// Runs blocking work with this client on a thread of the dispatcher and passes its result to `callback`.
    ///
    ///     client.perform({ $0.executeRequest(draft).decoded(as: User.self) }, callbackQueue: .main) { result in … }
    ///
    /// The parameters are those of `executeRequest` here and of the awaited `perform`.
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

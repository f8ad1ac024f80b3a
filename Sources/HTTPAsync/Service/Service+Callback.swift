/// Calls of a service that return at once and report to a callback. The callback runs exactly once, on the given queue;
/// the response is decoded before, on a thread of the dispatcher. The handle need not be kept.
extension Service {
    /// Makes the call and passes its value or the failure to `callback`.
    @discardableResult
    public func call<Value>(
        _ endpoint: Endpoint<Generator, Value>, as type: Value.Type = Value.self,
        priority: Dispatcher.Priority = .normal, callbackQueue: CallbackQueue, on dispatcher: Dispatcher = .shared,
        _ callback: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> DispatchedCall {
        client.executeRequest(
            request(endpoint), priority: priority, callbackQueue: .immediate, on: dispatcher
        ) { result in
            let value = result.flatMap { response in
                Result { () throws(HTTPError) in try endpoint.value(of: response, for: generator) }
            }
            callbackQueue.run { callback(value) }
        }
    }
}

extension Service where Generator: EnumeratedGenerator {
    /// Makes the call and passes its decoded response or the failure to `callback`.
    @discardableResult
    public func call<Value: Decodable & Sendable>(
        _ call: Generator.Calls, as type: Value.Type = Value.self, priority: Dispatcher.Priority = .normal,
        callbackQueue: CallbackQueue, on dispatcher: Dispatcher = .shared,
        _ callback: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> DispatchedCall {
        self.call(
            call.returning(type), priority: priority, callbackQueue: callbackQueue, on: dispatcher, callback)
    }

    /// Makes the call and passes success or the failure to `callback`. The response body is ignored.
    @discardableResult
    public func call(
        _ call: Generator.Calls, priority: Dispatcher.Priority = .normal, callbackQueue: CallbackQueue,
        on dispatcher: Dispatcher = .shared, _ callback: @escaping @Sendable (Result<Void, HTTPError>) -> Void
    ) -> DispatchedCall {
        self.call(
            call.returning(Void.self), priority: priority, callbackQueue: callbackQueue, on: dispatcher, callback)
    }
}

public import HTTPCore

/// Calls of a service that return at once and report to a callback. The callback runs exactly once, on the given queue;
/// the response is decoded before, on a thread of the dispatcher. The handle need not be kept.
extension Service {
    /// Makes the call and passes its value or the failure to `callback`.
    @discardableResult
    public func call<Value>(
        _ endpoint: Endpoint<Generator, Value>, callbackQueue: CallbackQueue = .main,
        on dispatcher: Dispatcher = .shared, _ callback: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> DispatchedCall {
        client.executeRequest(request(endpoint), callbackQueue: .immediate, on: dispatcher) { result in
            let value = result.flatMap { response in
                Result { () throws(HTTPError) in try endpoint.value(of: response, for: generator) }
            }
            callbackQueue.run { callback(value) }
        }
    }

    /// Makes the call and passes its decoded value or the failure to `callback`.
    @discardableResult
    public func call<Value: Decodable & Sendable>(
        _ endpoint: some ServiceEndpoint<Generator>, as type: Value.Type = Value.self,
        callbackQueue: CallbackQueue = .main, on dispatcher: Dispatcher = .shared,
        _ callback: @escaping @Sendable (Result<Value, HTTPError>) -> Void
    ) -> DispatchedCall {
        call(Endpoint(endpoint, as: type), callbackQueue: callbackQueue, on: dispatcher, callback)
    }

    /// Makes the call and passes success or the failure to `callback`.
    @discardableResult
    public func call(
        _ endpoint: some ServiceEndpoint<Generator>, callbackQueue: CallbackQueue = .main,
        on dispatcher: Dispatcher = .shared, _ callback: @escaping @Sendable (Result<Void, HTTPError>) -> Void
    ) -> DispatchedCall {
        call(Endpoint(endpoint), callbackQueue: callbackQueue, on: dispatcher, callback)
    }
}

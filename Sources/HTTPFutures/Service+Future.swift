public import HTTPAsync
public import HTTPCore

/// Calls of a service that return a future at once. It fails with the errors that the blocking forms throw. The
/// response is decoded on a thread of the dispatcher. Cancelling the future cancels the call.
extension Service {
    /// Makes the call.
    public func future<Value>(
        _ endpoint: Endpoint<Generator, Value>, on dispatcher: Dispatcher = .shared
    ) -> Future<Value, HTTPError> {
        Future { promise in
            let call = call(endpoint, callbackQueue: .immediate, on: dispatcher) { promise.resolve($0) }
            promise.onCancel { call.cancel() }
        }
    }

    /// Makes the call and decodes the response.
    public func future<Value: Decodable & Sendable>(
        _ endpoint: some ServiceEndpoint<Generator>, as type: Value.Type = Value.self,
        on dispatcher: Dispatcher = .shared
    ) -> Future<Value, HTTPError> {
        future(Endpoint(endpoint, as: type), on: dispatcher)
    }

    /// Makes the call.
    public func future(
        _ endpoint: some ServiceEndpoint<Generator>, on dispatcher: Dispatcher = .shared
    ) -> Future<Void, HTTPError> {
        future(Endpoint(endpoint), on: dispatcher)
    }
}

/// Calls of a service that return a future at once. It fails with the errors that the blocking forms throw. The
/// response is decoded on a thread of the dispatcher. Cancelling the future cancels the call.
extension Service {
    /// Makes the call.
    public func future<Value>(
        _ endpoint: Endpoint<Generator, Value>, as type: Value.Type = Value.self,
        priority: Dispatcher.Priority = .normal, on dispatcher: Dispatcher = .shared
    ) -> Future<Value, HTTPError> {
        .ofCall { call(endpoint, priority: priority, callbackQueue: .immediate, on: dispatcher, $0) }
    }
}

extension Service where Generator: EnumeratedGenerator {
    /// Makes the call and decodes the response.
    public func future<Value: Decodable & Sendable>(
        _ call: Generator.Calls, as type: Value.Type = Value.self, priority: Dispatcher.Priority = .normal,
        on dispatcher: Dispatcher = .shared
    ) -> Future<Value, HTTPError> {
        future(call.returning(type), priority: priority, on: dispatcher)
    }

    /// Makes the call. The response body is ignored.
    public func future(
        _ call: Generator.Calls, priority: Dispatcher.Priority = .normal, on dispatcher: Dispatcher = .shared
    ) -> Future<Void, HTTPError> {
        future(call.returning(Void.self), priority: priority, on: dispatcher)
    }
}

/// Calls of a service that return a future at once. It fails with the errors that the blocking forms throw. The
/// response is decoded on a thread of the dispatcher. Cancelling the future cancels the call.
extension Service {
    /// Makes the call.
    public func future<Value>(
        for endpoint: Endpoint<Generator, Value>, as type: Value.Type = Value.self,
        priority: Dispatcher.Priority = .normal, on dispatcher: Dispatcher = .shared
    ) -> Future<Value, HTTPError> {
        .ofCall { call(endpoint, priority: priority, callbackQueue: .immediate, on: dispatcher, $0) }
    }
}

extension Service where Generator: EnumeratedGenerator {
    /// Makes the call and decodes the response.
    public func future<Value: Decodable & Sendable>(
        for call: Generator.Calls, as type: Value.Type = Value.self, priority: Dispatcher.Priority = .normal,
        on dispatcher: Dispatcher = .shared
    ) -> Future<Value, HTTPError> {
        future(for: call.returning(type), priority: priority, on: dispatcher)
    }

    /// Makes the call. The response body is ignored.
    public func future(
        for call: Generator.Calls, priority: Dispatcher.Priority = .normal, on dispatcher: Dispatcher = .shared
    ) -> Future<Void, HTTPError> {
        future(for: call.returning(Void.self), priority: priority, on: dispatcher)
    }
}

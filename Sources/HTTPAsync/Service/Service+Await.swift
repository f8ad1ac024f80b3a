/// Awaited calls of a service, with the blocking forms' names. They throw as those do. The response is decoded on the
/// executor of the caller.
extension Service {
    /// Makes the call and awaits its value. `type` is only needed if nothing else says it.
    public func call<Value>(
        _ endpoint: Endpoint<Generator, Value>, as type: Value.Type = Value.self,
        priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Value {
        try await callWithResponse(endpoint, priority: priority, on: dispatcher, isolation: isolation).value
    }

    /// The same, with the whole response.
    public func callWithResponse<Value>(
        _ endpoint: Endpoint<Generator, Value>, as type: Value.Type = Value.self,
        priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> (value: Value, response: Response) {
        let response = try await client.send(
            request(endpoint), priority: priority, on: dispatcher, isolation: isolation)
        return (try endpoint.value(of: response, for: generator), response)
    }
}

extension Service where Generator: EnumeratedGenerator {
    /// Makes the call and awaits its decoded response.
    public func call<Value: Decodable & Sendable>(
        _ call: Generator.Calls, as type: Value.Type = Value.self,
        priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Value {
        try await self.call(call.returning(type), priority: priority, on: dispatcher, isolation: isolation)
    }

    /// The same, with the whole response.
    public func callWithResponse<Value: Decodable & Sendable>(
        _ call: Generator.Calls, as type: Value.Type = Value.self,
        priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> (value: Value, response: Response) {
        try await callWithResponse(call.returning(type), priority: priority, on: dispatcher, isolation: isolation)
    }

    /// Makes the call and awaits its response, whose body is ignored.
    public func call(
        _ call: Generator.Calls, priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) {
        try await self.call(call.returning(Void.self), priority: priority, on: dispatcher, isolation: isolation)
    }
}

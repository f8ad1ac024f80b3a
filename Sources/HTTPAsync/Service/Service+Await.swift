public import HTTPCore

/// Awaited calls of a service, with the blocking forms' names. They throw as those and as `response(for:)` do. The
/// response is decoded on the executor of the caller.
extension Service {
    /// Makes the call and awaits its value.
    public func call<Value>(
        _ endpoint: Endpoint<Generator, Value>, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Value {
        try endpoint.value(of: try await send(endpoint, on: dispatcher, isolation: isolation), for: generator)
    }

    /// The same, with the whole response.
    public func callWithResponse<Value>(
        _ endpoint: Endpoint<Generator, Value>, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> (value: Value, response: Response) {
        let response = try await send(endpoint, on: dispatcher, isolation: isolation)
        return (try endpoint.value(of: response, for: generator), response)
    }

    /// Makes the call and awaits the whole response, whatever its status.
    public func send<Value>(
        _ endpoint: Endpoint<Generator, Value>, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await client.send(request(endpoint), on: dispatcher, isolation: isolation)
    }

    /// Makes the call and awaits its decoded value.
    public func call<Value: Decodable>(
        _ endpoint: some ServiceEndpoint<Generator>, as type: Value.Type = Value.self,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Value {
        try generator.decoded(
            try generator.accepted(try await send(endpoint, on: dispatcher, isolation: isolation)))
    }

    /// Makes the call and awaits its end.
    public func call(
        _ endpoint: some ServiceEndpoint<Generator>, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) {
        _ = try generator.accepted(try await send(endpoint, on: dispatcher, isolation: isolation))
    }

    /// Makes the call and awaits the whole response, whatever its status.
    public func send(
        _ endpoint: some ServiceEndpoint<Generator>, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await client.send(request(endpoint), on: dispatcher, isolation: isolation)
    }
}

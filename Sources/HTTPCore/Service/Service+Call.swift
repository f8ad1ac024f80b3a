/// Blocking calls. They throw the client's errors, `.unacceptableStatus` if the generator does not accept the response,
/// and `.decoding` if the response does not contain the expected value.
extension Service {
    /// Makes the call and waits for its value. `type` is only needed if nothing else says it: an unnamed call such as
    /// `.get("orders")` whose value is not used as one.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func call<Value>(
        _ endpoint: Endpoint<Generator, Value>, as type: Value.Type = Value.self
    ) throws(HTTPError) -> Value {
        try callWithResponse(endpoint).value
    }

    /// The same, with the whole response.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func callWithResponse<Value>(
        _ endpoint: Endpoint<Generator, Value>
    ) throws(HTTPError) -> (value: Value, response: Response) {
        let response = try client.executeRequest(request(endpoint)).get()
        return (try endpoint.value(of: response, for: generator), response)
    }
}

extension Service where Generator: EnumeratedGenerator {
    /// Makes the call and waits for its decoded response.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func call<Value: Decodable & Sendable>(
        _ call: Generator.Calls, as type: Value.Type = Value.self
    ) throws(HTTPError) -> Value {
        try self.call(call.returning(type))
    }

    /// Makes the call and waits for its response, whose body is ignored.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func call(_ call: Generator.Calls) throws(HTTPError) { try self.call(call.returning(Void.self)) }
}

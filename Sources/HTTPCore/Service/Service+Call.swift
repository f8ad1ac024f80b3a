/// Blocking calls. They throw the client's errors, `.unacceptableStatus` if the generator does not accept the response,
/// and `.decoding` if the response does not contain the expected value.
extension Service {
    /// Makes the call and waits for its value.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func call<Value>(_ endpoint: Endpoint<Generator, Value>) throws(HTTPError) -> Value {
        try callWithResponse(endpoint).value
    }

    /// The same, with the whole response.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func callWithResponse<Value>(
        _ endpoint: Endpoint<Generator, Value>
    ) throws(HTTPError) -> (value: Value, response: Response) {
        let response = try send(endpoint)
        return (try endpoint.value(of: response, for: generator), response)
    }

    /// Makes the call and waits for the whole response, whatever its status.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func send<Value>(_ endpoint: Endpoint<Generator, Value>) throws(HTTPError) -> Response {
        try client.executeRequest(request(endpoint)).get()
    }

    /// Makes the call and waits for its decoded response.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func call<Value: Decodable>(
        _ endpoint: some ServiceEndpoint<Generator>, as type: Value.Type = Value.self
    ) throws(HTTPError) -> Value {
        try generator.decoded(try generator.accepted(try send(endpoint)))
    }

    /// Makes the call and waits for its response, whose body is ignored.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func call(_ endpoint: some ServiceEndpoint<Generator>) throws(HTTPError) {
        _ = try generator.accepted(try send(endpoint))
    }

    /// Makes the call and waits for the whole response, whatever its status.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func send(_ endpoint: some ServiceEndpoint<Generator>) throws(HTTPError) -> Response {
        try client.executeRequest(request(endpoint)).get()
    }
}

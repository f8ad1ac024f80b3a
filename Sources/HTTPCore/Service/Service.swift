/// A client bound to one service, through which an app makes its calls.
///
///     let shop = client.service(Shop(tokens: tokens))
///     let orders = try shop.call(.orders)                                     // blocking
///     let orders = try await shop.call(.orders)                               // HTTPAsync
///     shop.call(.orders, callbackQueue: .main) { result in … }                // HTTPAsync
///     let orders = shop.future(for: .orders)                                  // HTTPFutures
///
/// The calls are endpoints: values that know the type of their response (`Endpoint`), or the cases of an enum
/// (`EnumeratedGenerator`). An endpoint with an invalid request sends nothing.
///
/// A service is as thread-safe as its client.
public struct Service<Generator: RequestGenerator>: Sendable {
    /// Makes the requests of the service.
    public let generator: Generator
    /// Sends the requests, with the generator's interceptors around it.
    public let client: any HTTPClient

    /// A service that uses `client` with the generator's interceptors.
    package init(_ generator: Generator, over client: any HTTPClient) {
        self.init(generator, client: client.intercepted(by: Interceptor(generator.interceptors)))
    }

    private init(_ generator: Generator, client: any HTTPClient) {
        self.generator = generator
        self.client = client
    }

    /// The same service, with calls that outlive their caller: neither a cancelled task or token nor a deadline around
    /// them ends them; `cancel()` on the handle of a callback call does. See `HTTPClient.detached`.
    public var detached: Service { Service(generator, client: client.detached) }

    /// The request of `endpoint`, for the functions of a client.
    ///
    ///     let response = try shop.client.send(shop.request(.orders))              // whatever its status
    ///     shop.client.download(shop.request(.invoice(7)), to: "invoice.pdf")
    public func request<Value>(_ endpoint: Endpoint<Generator, Value>) -> MutableRequest {
        endpoint.request(from: generator)
    }
}

extension Service where Generator: EnumeratedGenerator {
    /// The request of `call`, for the functions of a client.
    public func request(_ call: Generator.Calls) -> MutableRequest { call.request(from: generator) }
}

extension HTTPClient {
    /// This client bound to the service of `generator`.
    public func service<Generator: RequestGenerator>(_ generator: Generator) -> Service<Generator> {
        Service(generator, over: self)
    }
}

/// Blocking calls. They throw the client's errors, `.unacceptableStatus` if the generator does not accept the response,
/// and `.decoding` if the response does not contain the expected value.
extension Service {
    /// Makes the call and waits for its value. `type` is only needed if nothing else says it: an unnamed call such as
    /// `.get("orders")` whose value is not used as one.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    public func call<Value>(
        _ endpoint: Endpoint<Generator, Value>, as type: Value.Type = Value.self
    ) throws(HTTPError) -> Value {
        try callWithResponse(endpoint).value
    }

    /// The same, with the whole response.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    public func callWithResponse<Value>(
        _ endpoint: Endpoint<Generator, Value>, as type: Value.Type = Value.self
    ) throws(HTTPError) -> (value: Value, response: Response) {
        let response = try client.executeRequest(request(endpoint)).get()
        return (try endpoint.value(of: response, for: generator), response)
    }
}

extension Service where Generator: EnumeratedGenerator {
    /// Makes the call and waits for its decoded response.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    public func call<Value: Decodable & Sendable>(
        _ call: Generator.Calls, as type: Value.Type = Value.self
    ) throws(HTTPError) -> Value {
        try self.call(call.returning(type))
    }

    /// The same, with the whole response.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    public func callWithResponse<Value: Decodable & Sendable>(
        _ call: Generator.Calls, as type: Value.Type = Value.self
    ) throws(HTTPError) -> (value: Value, response: Response) {
        try callWithResponse(call.returning(type))
    }

    /// Makes the call and waits for its response, whose body is ignored.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    public func call(_ call: Generator.Calls) throws(HTTPError) { try self.call(call.returning(Void.self)) }
}

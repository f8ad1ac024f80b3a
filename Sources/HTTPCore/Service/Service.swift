/// A client bound to one service: the place where an app makes its calls.
///
///     let shop = client.service(Shop(tokens: tokens))
///     let orders = try shop.call(.orders)                                     // blocking
///     let orders = try await shop.call(.orders)                               // HTTPAsync
///     shop.call(.orders) { result in … }                                      // HTTPAsync
///     let orders = shop.future(.orders)                                       // HTTPFutures
///
/// The calls are endpoints: values that know the type of their answer (`Endpoint`), or the cases of an enum
/// (`ServiceEndpoint`). An endpoint that cannot be built sends nothing.
///
/// Any number of threads may use it at once, as far as its client may be.
public struct Service<Generator: RequestGenerator>: Sendable {
    /// The generator of the service's requests.
    public let generator: Generator
    /// What sends them, with the generator's interceptors around it.
    public let client: any HTTPClient

    /// Through `client`, around which it puts the generator's interceptors.
    public init(_ generator: Generator, over client: any HTTPClient) {
        self.init(generator, client: client.intercepted(by: generator.interceptors))
    }

    private init(_ generator: Generator, client: any HTTPClient) {
        self.generator = generator
        self.client = client
    }

    /// The same service, whose calls outlive their caller: a cancelled task, token or handle does not end them, and a
    /// deadline around them does not count. See `HTTPClient.detached`.
    public var detached: Service { Service(generator, client: client.detached) }

    /// The request of `endpoint`, for whatever else a client can do with it.
    ///
    ///     shop.client.download(shop.request(.invoice(7)), to: "invoice.pdf")
    public func request<Value>(_ endpoint: Endpoint<Generator, Value>) -> MutableRequest {
        endpoint.request(from: generator)
    }

    /// The request of `endpoint`, for whatever else a client can do with it.
    public func request(_ endpoint: some ServiceEndpoint<Generator>) -> MutableRequest {
        endpoint.request(from: generator)
    }
}

extension HTTPClient {
    /// This client bound to the service that `generator` is for.
    public func service<Generator: RequestGenerator>(_ generator: Generator) -> Service<Generator> {
        Service(generator, over: self)
    }
}

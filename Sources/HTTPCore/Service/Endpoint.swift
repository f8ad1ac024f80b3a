/// A call of one service with the type of its response.
///
/// All calls of a service stand in one extension. A function names its type in a `where` clause, a property in full:
///
///     extension Endpoint where Generator == Shop {
///         static var orders: Endpoint<Shop, [Order]> { .get("orders") }
///         static func orders(of customer: Int) -> Self where Value == [Order] {
///             .get("customers/\(customer)/orders") |> .query("open", true)
///         }
///         static func cancel(_ id: String) -> Self where Value == Void { .delete("orders/\(id)") }
///     }
///     let orders = try shop.call(.orders)
///     try shop.call(.cancel("7") |> .timeout(.seconds(5)))
///
/// The type decides how the response is decoded:
///
/// - A `Decodable` value is decoded by the generator's decoders. An optional value is nil for an empty body, as with
///   status 204. `String` is the text of a body that is not JSON, and `Data` the body itself.
/// - `Void` ignores the body.
public struct Endpoint<Generator: RequestGenerator, Value: Sendable>: Sendable {
    private let build: @Sendable (Generator) -> MutableRequest
    private let read: @Sendable (Response, Generator) throws(HTTPError) -> Value

    /// An endpoint with its own decoding.
    ///
    /// - Parameters:
    ///   - build: Makes the request.
    ///   - read: Makes the value from a response that the service accepts; any other has already failed with
    ///     `.unacceptableStatus`.
    public init(
        _ build: @escaping @Sendable (Generator) -> MutableRequest,
        reading read: @escaping @Sendable (Response, Generator) throws(HTTPError) -> Value
    ) {
        self.build = build
        self.read = read
    }

    /// The request of this endpoint: the generator's defaults, then the endpoint's own steps.
    public func request(from generator: Generator) -> MutableRequest { build(generator) }

    /// The value of `response`; throws `.unacceptableStatus` if the generator does not accept it.
    public func value(of response: Response, for generator: Generator) throws(HTTPError) -> Value {
        try read(try generator.accepted(response), generator)
    }

    /// The same endpoint with one more step.
    public static func |> (endpoint: Endpoint, step: RequestStep) -> Endpoint {
        Endpoint({ endpoint.build($0) |> step }, reading: endpoint.read)
    }

    /// The same endpoint with its value transformed.
    public func map<Other: Sendable>(_ transform: @escaping @Sendable (Value) -> Other) -> Endpoint<Generator, Other> {
        Endpoint<Generator, Other>(build) { [read] (response, generator) throws(HTTPError) in
            transform(try read(response, generator))
        }
    }
}

extension Endpoint: ServiceEndpoint {}

extension Endpoint where Value: Decodable {
    /// A call whose path or steps depend on the generator. The response is decoded by its media type.
    ///
    ///     static var orders: Endpoint<Shop, [Order]> { .init { shop in shop.get("\(shop.tenant)/orders") } }
    public init(_ build: @escaping @Sendable (Generator) -> MutableRequest) { self.init(build, reading: Self.decode) }

    /// A call of `method` to `path` below the service's base URL. The response is decoded by its media type.
    public static func request(_ method: HTTPMethod, _ path: RequestPath) -> Self {
        Self({ $0.request(method, path) }, reading: decode)
    }

    /// A GET of `path`, whose response is decoded by its media type.
    public static func get(_ path: RequestPath) -> Self { request(.get, path) }
    /// A POST to `path`, whose response is decoded by its media type.
    public static func post(_ path: RequestPath) -> Self { request(.post, path) }
    /// A PUT to `path`, whose response is decoded by its media type.
    public static func put(_ path: RequestPath) -> Self { request(.put, path) }
    /// A PATCH of `path`, whose response is decoded by its media type.
    public static func patch(_ path: RequestPath) -> Self { request(.patch, path) }
    /// A DELETE of `path`, whose response is decoded by its media type.
    public static func delete(_ path: RequestPath) -> Self { request(.delete, path) }

    @Sendable private static func decode(_ response: Response, by generator: Generator) throws(HTTPError) -> Value {
        try generator.decoded(response)
    }
}

extension Endpoint where Value == Void {
    /// A call whose path or steps depend on the generator. The response body is ignored.
    public init(_ build: @escaping @Sendable (Generator) -> MutableRequest) { self.init(build, reading: Self.ignore) }

    /// A call of `method` to `path` below the service's base URL. The response body is ignored.
    public static func request(_ method: HTTPMethod, _ path: RequestPath) -> Self {
        Self({ $0.request(method, path) }, reading: ignore)
    }

    /// A GET of `path` that ignores the response body.
    public static func get(_ path: RequestPath) -> Self { request(.get, path) }
    /// A HEAD of `path`.
    public static func head(_ path: RequestPath) -> Self { request(.head, path) }
    /// A POST to `path` that ignores the response body.
    public static func post(_ path: RequestPath) -> Self { request(.post, path) }
    /// A PUT to `path` that ignores the response body.
    public static func put(_ path: RequestPath) -> Self { request(.put, path) }
    /// A PATCH of `path` that ignores the response body.
    public static func patch(_ path: RequestPath) -> Self { request(.patch, path) }
    /// A DELETE of `path` that ignores the response body.
    public static func delete(_ path: RequestPath) -> Self { request(.delete, path) }

    @Sendable private static func ignore(_ response: Response, by generator: Generator) {}
}

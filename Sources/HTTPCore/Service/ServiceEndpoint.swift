/// The calls of one service as an enum. `request(from:)` is one switch with a line for each case.
///
///     enum Orders: ServiceEndpoint {
///         case list(page: Int), cancel(id: String)
///
///         func request(from shop: Shop) -> MutableRequest {
///             switch self {
///             case .list(let page): shop.get("orders") |> .query("page", page)
///             case .cancel(let id): shop.delete("orders/\(id)")
///             }
///         }
///     }
///     let orders = try shop.call(Orders.list(page: 1).returning([Order].self))
///
/// A generator that names its enum takes the cases themselves, without the name of the enum: see `EnumeratedGenerator`.
/// The alternative is `Endpoint`: a call that knows the type of its response.
public protocol ServiceEndpoint<Generator>: Sendable {
    /// The generator of the service.
    associatedtype Generator: RequestGenerator

    /// The request of this call: made by `generator` from a method and a path, followed by the call's own steps, which
    /// can override or remove the defaults.
    func request(from generator: Generator) -> MutableRequest
}

extension ServiceEndpoint {
    /// This call with the type of its response, which is decoded. Say it once, where the calls of the service are:
    ///
    ///     extension Endpoint where Generator == Shop {
    ///         static func page(_ page: Int) -> Self where Value == [Order] {
    ///             Orders.list(page: page).returning([Order].self)
    ///         }
    ///     }
    public func returning<Value: Decodable & Sendable>(_ type: Value.Type = Value.self) -> Endpoint<Generator, Value> {
        Endpoint { request(from: $0) }
    }

    /// This call, whose response body is ignored.
    public func returning(_ type: Void.Type) -> Endpoint<Generator, Void> { Endpoint { request(from: $0) } }
}

/// A generator that has no properties to set, neither an address nor credentials: `Request(endpoint:)` makes it.
///
///     struct Shop: StandaloneGenerator { let baseURL = "https://shop.example.com/v2" }
///     let request = try Request(endpoint: Orders.list(page: 1))
public protocol StandaloneGenerator: RequestGenerator {
    /// The generator.
    init()
}

extension Request {
    /// A request of `endpoint` to the service of `generator`.
    public init<Endpoint: ServiceEndpoint>(endpoint: Endpoint, from generator: Endpoint.Generator) throws(HTTPError) {
        try self.init(endpoint.request(from: generator))
    }

    /// A request of `endpoint` to its service.
    public init<Endpoint: ServiceEndpoint>(endpoint: Endpoint) throws(HTTPError)
    where Endpoint.Generator: StandaloneGenerator {
        try self.init(endpoint: endpoint, from: Endpoint.Generator())
    }
}

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
///     let orders = try shop.call(Orders.list(page: 1), as: [Order].self)
///
/// The alternative is `Endpoint`: a call that knows the type of its response.
public protocol ServiceEndpoint<Generator>: Sendable {
    /// The generator of the service.
    associatedtype Generator: RequestGenerator

    /// The request of this call: made by `generator` from a method and a path, followed by the call's own steps, which
    /// can override or remove the defaults.
    func request(from generator: Generator) -> MutableRequest
}

extension Request {
    /// A request of `endpoint` to the service of `generator`.
    public init<Endpoint: ServiceEndpoint>(
        endpoint: Endpoint, from generator: Endpoint.Generator
    ) throws(HTTPError) {
        try self.init(endpoint.request(from: generator))
    }
}

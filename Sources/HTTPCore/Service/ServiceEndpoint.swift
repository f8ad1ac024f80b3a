/// The calls of one service as an enum whose `request(from:)` is one switch with a line for each case.
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
/// `Endpoint` is the other way to say it: a call that knows the type of its answer.
public protocol ServiceEndpoint<Generator>: Sendable {
    /// The generator of the service that these calls belong to.
    associatedtype Generator: RequestGenerator

    /// This call's request: what `generator` makes of a method and a path, and the call's own steps behind it, which can
    /// override the generator's defaults or remove them.
    func request(from generator: Generator) -> MutableRequest
}

extension Request {
    /// The request of `endpoint` to the service that `generator` is for.
    public init<Endpoint: ServiceEndpoint>(
        endpoint: Endpoint, from generator: Endpoint.Generator
    ) throws(HTTPError) {
        try self.init(endpoint.request(from: generator))
    }
}

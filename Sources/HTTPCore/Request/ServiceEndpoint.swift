/// The typed calls of one service: usually an enum whose `request(from:)` is one switch with a line for each case.
///
///     enum Orders: ServiceEndpoint {
///         case list(page: Int), cancel(id: String)
///
///         var generator: Shop { Shop() }
///
///         func request(from shop: Shop) -> MutableRequest {
///             switch self {
///             case .list(let page): shop.get("orders") |> .query("page", page)
///             case .cancel(let id): shop.delete("orders/\(id)")
///             }
///         }
///     }
///     client.execute(Orders.list(page: 1), as: [Order].self)
public protocol ServiceEndpoint: Sendable {
    associatedtype Generator: RequestGenerator

    /// The service these calls belong to, as the app talks to it.
    var generator: Generator { get }

    /// This call's request: what `generator` makes of a method and a path, and the call's own steps behind it.
    func request(from generator: Generator) -> MutableRequest
}

extension ServiceEndpoint {
    /// The request in the making, from this endpoint's own generator.
    public var request: MutableRequest { request(from: generator) }
}

extension Request {
    /// The endpoint's request. Its own steps come after the generator's defaults and can override or remove them.
    public init(endpoint: some ServiceEndpoint) throws(HTTPError) { try self.init(endpoint.request) }

    /// The endpoint's request to another deployment of its service: a staging host, a test's server.
    public init<Endpoint: ServiceEndpoint>(
        endpoint: Endpoint, from generator: Endpoint.Generator
    ) throws(HTTPError) {
        try self.init(endpoint.request(from: generator))
    }
}

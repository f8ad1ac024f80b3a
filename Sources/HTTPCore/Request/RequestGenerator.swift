/// What every request to one service has in common: the base URL and the defaults, in one place.
///
///     struct Shop: RequestGenerator {
///         let baseURL = "https://shop.example.com/v2"
///         let token: String
///         var defaults: RequestStep { .bearer(token) |> .header("Accept-Language", "en") }
///     }
///     client.executeRequest(shop.get("orders") |> .query("page", 2))
public protocol RequestGenerator: Sendable {
    /// Where relative paths start; its last segment counts as a directory.
    var baseURL: String { get }
    /// Steps that each request takes first. A request's own steps come after them and can override or remove them.
    var defaults: RequestStep { get }
}

extension RequestGenerator {
    public var defaults: RequestStep { .none }

    /// A request to `path` below the base URL with the defaults applied.
    public func request(_ method: HTTPMethod, _ path: String) -> MutableRequest {
        MutableRequest(method, path, baseURL: baseURL) |> defaults
    }

    public func get(_ path: String) -> MutableRequest { request(.get, path) }
    public func head(_ path: String) -> MutableRequest { request(.head, path) }
    public func post(_ path: String) -> MutableRequest { request(.post, path) }
    public func put(_ path: String) -> MutableRequest { request(.put, path) }
    public func patch(_ path: String) -> MutableRequest { request(.patch, path) }
    public func delete(_ path: String) -> MutableRequest { request(.delete, path) }
    public func options(_ path: String) -> MutableRequest { request(.options, path) }
}

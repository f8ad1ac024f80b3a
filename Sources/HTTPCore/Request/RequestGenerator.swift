/// What every request to one service has in common: the base URL and the defaults, in one place.
///
///     struct Shop: RequestGenerator {
///         let baseURL = "https://shop.example.com/v2"
///         let token: String
///         var defaults: RequestStep { .bearer(token) |> .header("Accept-Language", "en") }
///     }
///     client.executeRequest(shop.get("orders/\(id)/items") |> .query("page", 2))
///
/// What is interpolated into a path literal is percent-encoded: see `RequestPath`, which a `String` from elsewhere has to
/// be made into.
public protocol RequestGenerator: Sendable {
    /// Where relative paths start; its last segment counts as a directory.
    var baseURL: String { get }
    /// Steps that each request takes first. A request's own steps come after them and can override or remove them.
    var defaults: RequestStep { get }
    /// Whether requests with these defaults may also go to `origin`, which is not the base URL's. No, unless the
    /// service says so.
    ///
    /// It is asked when a path is an absolute URL, or begins with `//` and so names a host. Where the answer is no, the
    /// request fails with `.invalidRequest` and nothing is sent: the defaults mostly hold credentials.
    func allows(_ origin: Origin) -> Bool
}

extension RequestGenerator {
    public var defaults: RequestStep { .none }

    public func allows(_ origin: Origin) -> Bool { false }

    /// A request to `path` below the base URL with the defaults applied.
    public func request(_ method: HTTPMethod, _ path: RequestPath) -> MutableRequest {
        let draft = MutableRequest(method, path.text, baseURL: baseURL)
        if let problem = path.problem ?? foreignOrigin(in: path.text) { return draft |> .failing(problem) }
        return draft |> defaults
    }

    public func get(_ path: RequestPath) -> MutableRequest { request(.get, path) }
    public func head(_ path: RequestPath) -> MutableRequest { request(.head, path) }
    public func post(_ path: RequestPath) -> MutableRequest { request(.post, path) }
    public func put(_ path: RequestPath) -> MutableRequest { request(.put, path) }
    public func patch(_ path: RequestPath) -> MutableRequest { request(.patch, path) }
    public func delete(_ path: RequestPath) -> MutableRequest { request(.delete, path) }
    public func query(_ path: RequestPath) -> MutableRequest { request(.query, path) }
    public func options(_ path: RequestPath) -> MutableRequest { request(.options, path) }
}

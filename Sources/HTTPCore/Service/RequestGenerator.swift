/// What every call to one service has in common, in one place: the base URL, the defaults of its requests, how its bodies
/// are spelled, what happens around its calls, and which answers count. Only the base URL must be said.
///
///     struct Shop: RequestGenerator {
///         let baseURL = "https://shop.example.com/v2"
///         let tokens: BearerTokens
///         let json = JSONCoding(keys: .snakeCase)
///         var defaults: RequestStep { .accept("application/json") |> .header("Accept-Language", "en") }
///         var interceptors: [Interceptor] { [.retry(), .bearer(tokens)] }
///     }
///     let shop = client.service(Shop(tokens: tokens))
///
/// `Service` is a client bound to it, through which calls are made. Requests can be made without one as well:
///
///     client.executeRequest(Shop(tokens: tokens).get("orders/\(id)/items") |> .query("page", 2))
///
/// What is interpolated into a path literal is percent-encoded: see `RequestPath`, which a `String` from elsewhere has to
/// be made into.
public protocol RequestGenerator: Sendable {
    /// `String`, `URL` or whatever else is a URL, as `baseURL` is written.
    associatedtype BaseURL: URLConvertible = String

    /// Where relative paths start; its last segment counts as a directory.
    var baseURL: BaseURL { get }
    /// Steps that each request takes first. A request's own steps come after them and can override or remove them.
    var defaults: RequestStep { get }
    /// Whether requests with these defaults may also go to `origin`, which is not the base URL's. No, unless the
    /// service says so.
    ///
    /// It is asked when a path is an absolute URL, or begins with `//` and so names a host. Where the answer is no, the
    /// request fails with `.invalidRequest` and nothing is sent: the defaults mostly hold credentials.
    func allows(_ origin: Origin) -> Bool

    /// How JSON is spelled: what `.json(_:)` encodes by, and answers are decoded by. Foundation's own defaults, unless the
    /// service says otherwise.
    var json: JSONCoding { get }
    /// What decodes answers: the first that accepts the Content-Type; a single one decodes whatever that says. JSON alone,
    /// by `json`, unless the service says otherwise.
    var decoders: [any BodyDecoder] { get }
    /// What happens around each call that is made through a `Service`; the first listed sees the request first. Read once,
    /// when the service is made. Nothing, unless the service says otherwise.
    var interceptors: [Interceptor] { get }
    /// Whether `response` answers a call; one that does not is `.unacceptableStatus`. A 2xx status, unless the service says
    /// otherwise: some put their errors into a 200.
    func accepts(_ response: Response) -> Bool
}

extension RequestGenerator {
    public var defaults: RequestStep { .none }

    public func allows(_ origin: Origin) -> Bool { false }

    public var json: JSONCoding { .standard }

    public var decoders: [any BodyDecoder] { [JSONBodyDecoder(json.decoder)] }

    public var interceptors: [Interceptor] { [] }

    public func accepts(_ response: Response) -> Bool { response.status.isSuccess }

    /// A request to `path` below the base URL with the defaults applied.
    public func request(_ method: HTTPMethod, _ path: RequestPath) -> MutableRequest {
        var draft = MutableRequest(method, path.text, baseURL: baseURL.urlText)
        if !json.isStandard { draft.jsonEncoder = json.encoder }
        if let problem = path.problem ?? foreignOrigin(in: path.text) { return draft |> .failing(problem) }
        return draft |> defaults
    }

    /// A GET of `path` below the base URL, with the defaults of the service.
    public func get(_ path: RequestPath) -> MutableRequest { request(.get, path) }
    /// A HEAD of `path` below the base URL, with the defaults of the service.
    public func head(_ path: RequestPath) -> MutableRequest { request(.head, path) }
    /// A POST to `path` below the base URL, with the defaults of the service.
    public func post(_ path: RequestPath) -> MutableRequest { request(.post, path) }
    /// A PUT to `path` below the base URL, with the defaults of the service.
    public func put(_ path: RequestPath) -> MutableRequest { request(.put, path) }
    /// A PATCH of `path` below the base URL, with the defaults of the service.
    public func patch(_ path: RequestPath) -> MutableRequest { request(.patch, path) }
    /// A DELETE of `path` below the base URL, with the defaults of the service.
    public func delete(_ path: RequestPath) -> MutableRequest { request(.delete, path) }
    /// A QUERY of `path` below the base URL, with the defaults of the service; see `HTTPMethod.query`.
    public func query(_ path: RequestPath) -> MutableRequest { request(.query, path) }
    /// An OPTIONS of `path` below the base URL, with the defaults of the service.
    public func options(_ path: RequestPath) -> MutableRequest { request(.options, path) }
}

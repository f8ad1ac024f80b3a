/// The common properties of all calls to one service: the base URL, default steps, JSON coding, interceptors, and which
/// responses count as success. Only the base URL is required.
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
/// A `Service` binds a client to a generator and makes the calls. A generator also works without one:
///
///     client.executeRequest(Shop(tokens: tokens).get("orders/\(id)/items") |> .query("page", 2))
///
/// Values interpolated into a path literal are percent-encoded: see `RequestPath`. A `String` must be converted to one.
public protocol RequestGenerator: Sendable {
    /// The type of `baseURL`: `String`, `URL`, or any other that is convertible to a URL.
    associatedtype BaseURL: URLConvertible = String

    /// The base of relative paths. Its last segment counts as a directory: below `https://shop.example.com/v2` are the paths
    /// `orders` and `orders/7`. `/orders` would drop the `/v2` and is an error, `.invalidRequest`; `../v3/orders` and a whole
    /// URL leave it on purpose. A path replaces its query (RFC 3986 §5.2.2): put what all requests have in their query into
    /// `defaults`.
    var baseURL: BaseURL { get }
    /// Steps applied first to each request. The request's own steps follow and can override or remove them.
    var defaults: RequestStep { get }
    /// Whether requests with these defaults may also go to `origin`, which is not that of the base URL. False by
    /// default.
    ///
    /// It is called if a path is an absolute URL, or begins with `//` and so names a host. If it returns false, the
    /// request fails with `.invalidRequest` and nothing is sent: the defaults usually include credentials.
    func allows(_ origin: Origin) -> Bool

    /// The JSON coding: the encoder for `.json(_:)` and the decoder for responses. `.standard` by default.
    var json: JSONCoding { get }
    /// Where the parameters of requests go, and in what format: see `RequestStep.parameters`. By default `.byMethod`:
    /// into the query of GET, HEAD and DELETE, and into the body of every other method, as JSON.
    var parameterEncoding: ParameterEncoding { get }
    /// The TLS settings that requests of this service need: certificate, pins, trust. By default none.
    ///
    /// They belong to connections, so the transport has them: make it with the same value. A request to a host for which
    /// its transport applies others fails with `.unsupported`, and nothing is sent; so does one that is redirected there.
    /// What is left at its default here is left to the transport, except that it must verify the host. The pins of a
    /// host must be the same; pins for other hosts are not a fault. Stubs and replays open no connections, and answer.
    ///
    ///     let payments = Payments()
    ///     let client = try CurlTransport(CurlConfiguration(tls: payments.tls)).service(payments)
    var tls: TLSConfiguration { get }
    /// The decoders for responses. The first that accepts the Content-Type is used; a single decoder is used whatever
    /// the Content-Type. By default one JSON decoder, with `json`.
    var decoders: [any BodyDecoder] { get }
    /// The interceptors around each call through a `Service`; the first in the list sees the request first. Read once,
    /// when the service is made. Empty by default.
    var interceptors: [Interceptor] { get }
    /// Whether `response` counts as success; if not, the call fails with `.unacceptableStatus`. By default a 2xx
    /// status. Some services report errors with status 200.
    func accepts(_ response: Response) -> Bool
}

extension RequestGenerator {
    public var defaults: RequestStep { .none }

    public func allows(_ origin: Origin) -> Bool { false }

    public var json: JSONCoding { .standard }

    public var parameterEncoding: ParameterEncoding { .byMethod }

    public var tls: TLSConfiguration { .unstated }

    public var decoders: [any BodyDecoder] { [JSONBodyDecoder(json.decoder)] }

    public var interceptors: [Interceptor] { [] }

    public func accepts(_ response: Response) -> Bool { response.status.isSuccess }

    /// A request of any method to `path` below the base URL, with the defaults of the service: `.request(.query, "search")`.
    public func request(_ method: HTTPMethod, _ path: RequestPath) -> MutableRequest {
        var draft = MutableRequest(method, path.text, baseURL: baseURL.urlText)
        ServiceSettings(self).apply(to: &draft)
        if let problem = path.problem ?? stray(path.text) { return draft |> .failing(problem) }
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

    /// Why `path` must not get this service's defaults: it names another origin that is not allowed, or drops the path of the
    /// base. Nil if it may.
    private func stray(_ path: String) -> String? {
        let slash = UInt8(ascii: "/")
        let isRooted = path.utf8.first == slash
        guard isRooted || HTTPURL.hasScheme(path) else { return nil }
        let base = try? HTTPURL(baseURL.urlText)
        // An invalid URL is reported when the request is built.
        guard let target = isRooted ? try? base?.resolving(path) : try? HTTPURL(path) else { return nil }
        if isRooted, let base, path.utf8.dropFirst().first != slash {
            let directory = base.path.utf8.last == slash ? base.path : base.path + "/"
            // A link that a server gave begins with it.
            if (target.path + "/").hasPrefix(directory) { return nil }
            // Masked with its slash: without one, a first segment with a colon would count as a host and a port.
            let shown = Redaction.urlText(path)
            let dot = HTTPURL.hasScheme(String(path.dropFirst())) ? "./" : ""
            let rest = dot + Substring(shown.utf8.drop { $0 == slash })
            return ASCII.printable(
                "the path \"\(shown)\" begins with a slash, which drops \(directory) of the base URL: write \"\(rest)\" for a"
                    + " path below it, or \(target) to leave it")
        }
        if target.origin == base?.origin || allows(target.origin) { return nil }
        return
            "the path leads to \(target.origin)\(HostName.note(target.host)), and the defaults of this service are for"
            + " \(base?.origin.description ?? ASCII.printable(Redaction.urlText(baseURL.urlText))): let allows(_:) of the generator say so if they"
            + " may go there, else start from MutableRequest"
    }
}

/// A generator whose calls are the cases of one enum, `Calls`. They are then written without its name:
///
///     struct Shop: EnumeratedGenerator {
///         typealias Calls = Orders
///         let baseURL = "https://shop.example.com/v2"
///     }
///     let orders = try shop.call(.list(page: 1), as: [Order].self)
///     try shop.call(.cancel(id: "7") |> .timeout(.seconds(5)))
///
/// The response is decoded as the type that the call names or its use implies. A call that needs none ignores the body.
/// Awaited calls, callbacks and futures take the cases, too.
public protocol EnumeratedGenerator: RequestGenerator {
    /// The calls of the service.
    associatedtype Calls: ServiceEndpoint where Calls.Generator == Self
}

// Disfavored, since these take any operand: with them among the first choices, the compiler needed seconds for a pipe of
// eight steps that has nothing to do with them.

/// The call with one more step, and the type of its response, which is decoded.
@_disfavoredOverload
public func |> <Generator: EnumeratedGenerator, Value: Decodable & Sendable>(
    call: Generator.Calls, step: RequestStep
) -> Endpoint<Generator, Value> {
    call.returning(Value.self) |> step
}

/// The call with one more step; the response body is ignored.
@_disfavoredOverload
public func |> <Generator: EnumeratedGenerator>(call: Generator.Calls, step: RequestStep) -> Endpoint<Generator, Void> {
    call.returning(Void.self) |> step
}

/// A request under construction: a value that steps change, until `Request.init` validates it and makes it immutable.
///
///     MutableRequest.post("https://api.example.com/issues") |> .json(issue) |> .timeout(.seconds(5))
///
/// A step that fails stores its error here. Later steps are skipped, and building the request throws the error.
public struct MutableRequest: Sendable {
    /// The method, checked when the request is built: a token (RFC 9110 §9.1).
    public var method: HTTPMethod
    /// An absolute URL, or one relative to `baseURL`.
    public var url: String { didSet { urlSpelling = .strict } }
    /// How invalid characters in `url` are treated: leniently in the text of a URL that a server gave.
    package var urlSpelling = HTTPURL.Spelling.strict
    /// The base of a relative `url`. Its last path segment counts as a directory, with or without a trailing slash. Its
    /// query is kept only if `url` is empty.
    public var baseURL: String?
    /// Added after the query of the URL, in order.
    public var query: [QueryItem] = []
    /// The header fields in order, checked when the request is built. The transport adds Host and Content-Length.
    public var headers = HTTPHeaders()
    /// The body; empty by default.
    public var body = RequestBody.empty { didSet { hasNoContentType = false } }
    /// Whether the Content-Type was removed since the body was set.
    package internal(set) var hasNoContentType = false
    /// Settings that most requests leave at their defaults; see the properties that access them.
    var options = RequestOptions.standard
    /// The first error of a step.
    public private(set) var failure: HTTPError?

    /// A draft without headers or body. `url` is absolute, or relative to `baseURL`. Both are checked when the request
    /// is built.
    public init(_ method: HTTPMethod, _ url: String, baseURL: String? = nil) {
        self.method = method
        self.url = url
        self.baseURL = baseURL
    }

    /// Removes that of the body, too.
    mutating func removeContentType() {
        if body.contentType != nil { body = RequestBody(body.content) }
        hasNoContentType = true
    }

    /// Applies `step` unless an earlier one failed.
    @usableFromInline
    mutating func apply(_ step: consuming RequestStep) {
        guard failure == nil else { return }
        do { try step.apply(&self) } catch { failure = error }
    }

    /// Where the body of the response goes.
    public var destination: BodyDestination {
        get { options.values.destination }
        set { options = options.with { $0.destination = newValue } }
    }

    /// How long to wait for the server's consent before sending the body (`Expect: 100-continue`, RFC 9110 §10.1.1).
    /// Nil, the default, does not ask.
    public var continueWait: Duration? {
        get { options.values.continueWait }
        set { options = options.with { $0.continueWait = newValue } }
    }

    /// How long the phases of a call may take. By default 10 s to connect, 30 s between two bytes, and 60 s in all, or
    /// no such limit if a body is streamed or discarded.
    public var timeouts: Timeouts {
        get { options.values.timeouts }
        set { options = options.with { $0.timeouts = newValue } }
    }

    /// Size limits of the response. By default 64 KiB of header fields and 64 MiB of body in memory.
    public var limits: Limits {
        get { options.values.limits }
        set { options = options.with { $0.limits = newValue } }
    }

    /// Which redirects are followed, and which fields they carry. By default 10 at most, none from https to http.
    public var redirects: RedirectPolicy {
        get { options.values.redirects }
        set { options = options.with { $0.redirects = newValue } }
    }

    /// The HTTP versions to use. By default HTTP/2 over TLS if the server agrees, else HTTP/1.1.
    public var version: VersionPolicy {
        get { options.values.version }
        set { options = options.with { $0.version = newValue } }
    }
}

extension MutableRequest: Redacted {
    /// Method and URL with secrets masked.
    public var description: String { "\(ASCII.printable(method.rawValue)) \(RequestValidation.shownURL(of: self))" }

    package var shownParts: [Mirror.Child] { [("headers", headers)] }
}

extension MutableRequest {
    /// A draft of a finished request, so that steps can change it. Building it validates it again.
    ///
    /// Its timeouts and limits count as set by the caller: defaults that depend on the place of the bodies no longer
    /// change when a step moves them. In `asDraft()`, and so in `request |> step`, they do.
    public init(_ request: Request) { self.init(request, options: request.optionsInForce) }

    /// With options as the caller set them, or in force.
    init(_ request: Request, options: RequestOptions) {
        self.init(request.method, request.url.urlText)
        // It was read before, perhaps from a Location: it is read in the same way again.
        urlSpelling = .fromServer
        headers = request.headers
        body = request.body
        hasNoContentType = request.hasNoContentType
        self.options = options
        // A header that the body supplied is removed, since the body will supply it again.
        if let contentType = body.contentType, headers.values(for: "Content-Type") == [contentType] {
            headers.removeAll(named: "Content-Type")
        }
    }
}

/// A request in the making: a plain value that flows through steps until `Request.init` checks it and fixes it.
///
///     MutableRequest.post("https://api.example.com/issues") |> .json(issue) |> .timeout(.seconds(5))
///
/// A step that fails leaves its error here; later steps are skipped, and building the request reports it.
public struct MutableRequest: Sendable {
    public var method: HTTPMethod
    /// An absolute URL, or one relative to `baseURL`.
    public var url: String
    /// Where a relative `url` starts. Its last path segment counts as a directory, with or without a slash behind it.
    public var baseURL: String?
    /// Goes behind the URL's own query, in order.
    public var query: [QueryItem] = []
    public var headers = HTTPHeaders()
    public var body = RequestBody.empty
    /// Where the body of the response goes.
    public var destination = BodyDestination.memory
    /// How long to wait for the server's leave before sending the body (`Expect: 100-continue`, RFC 9110 §10.1.1); nil,
    /// the default, does not ask.
    public var continueWait: Duration?
    public var timeouts = Timeouts()
    public var limits = Limits()
    public var redirects = RedirectPolicy()
    public var version = VersionPolicy.automatic
    /// Where cookies come from and go to; nil, the default, for none.
    public var cookies: CookieJar?
    /// Who hears of the progress of the bodies.
    var progress: ProgressReports?
    /// The first error of a step.
    public private(set) var failure: HTTPError?

    public init(_ method: HTTPMethod, _ url: String, baseURL: String? = nil) {
        self.method = method
        self.url = url
        self.baseURL = baseURL
    }

    /// Applies `step` unless an earlier one failed.
    mutating func apply(_ step: RequestStep) {
        guard failure == nil else { return }
        do { try step.apply(&self) } catch { failure = error }
    }
}

extension MutableRequest {
    public static func get(_ url: String) -> MutableRequest { MutableRequest(.get, url) }
    public static func head(_ url: String) -> MutableRequest { MutableRequest(.head, url) }
    public static func post(_ url: String) -> MutableRequest { MutableRequest(.post, url) }
    public static func put(_ url: String) -> MutableRequest { MutableRequest(.put, url) }
    public static func patch(_ url: String) -> MutableRequest { MutableRequest(.patch, url) }
    public static func delete(_ url: String) -> MutableRequest { MutableRequest(.delete, url) }
    public static func options(_ url: String) -> MutableRequest { MutableRequest(.options, url) }
    public static func method(_ method: HTTPMethod, _ url: String) -> MutableRequest { MutableRequest(method, url) }
}

extension MutableRequest: CustomStringConvertible {
    /// Method and URL with secrets masked.
    public var description: String { "\(method) \(RequestValidation.shownURL(of: self))" }
}

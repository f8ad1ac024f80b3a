/// A request that was checked and will not change: what `HTTPClient.executeRequest(_:)` takes.
///
/// Building one is where validation lives: every rule of RFC 9110 that a server could read two ways is an
/// `HTTPError.invalidRequest` that names the value at fault, and nothing is sent.
public struct Request: Sendable {
    public let method: HTTPMethod
    public let url: HTTPURL
    /// The caller's headers in order, with the body's Content-Type and the URL's credentials added where the caller set
    /// none. What frames the message (Content-Length, Host) is the transport's to add.
    public let headers: HTTPHeaders
    public let body: RequestBody
    public let timeouts: Timeouts
    public let limits: Limits
    public let redirects: RedirectPolicy
    public let version: VersionPolicy

    public init(_ draft: MutableRequest) throws(HTTPError) {
        if let failure = draft.failure { throw failure }
        do {
            let url = try RequestValidation.url(of: draft)
            try RequestValidation.check(draft)
            self.init(
                method: draft.method,
                url: url.withoutUserinfo(),
                headers: Self.headers(of: draft, userinfo: url.userinfo),
                body: draft.body,
                draft: draft
            )
        } catch {
            throw .invalidRequest(InvalidRequest(draft, error.description))
        }
    }

    private init(method: HTTPMethod, url: HTTPURL, headers: HTTPHeaders, body: RequestBody, draft: MutableRequest) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        timeouts = draft.timeouts
        limits = draft.limits
        redirects = draft.redirects
        version = draft.version
    }

    /// This request on its way to another place: what a redirect makes of it.
    init(_ origin: Request, method: HTTPMethod, url: HTTPURL, headers: HTTPHeaders, body: RequestBody) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        timeouts = origin.timeouts
        limits = origin.limits
        redirects = origin.redirects
        version = origin.version
    }

    private static func headers(of draft: MutableRequest, userinfo: HTTPURL.Userinfo?) -> HTTPHeaders {
        var headers = draft.headers
        // The transport frames the message; a Content-Length that got here equals the body's.
        headers.removeAll(named: "Content-Length")
        if let contentType = draft.body.contentType, !headers.contains("Content-Type") {
            headers.append(contentType, for: "Content-Type")
        }
        if let userinfo, !headers.contains("Authorization") {
            headers.append(RequestStep.basicCredentials(userinfo.user, userinfo.password), for: "Authorization")
        }
        return headers
    }
}

extension Request: CustomStringConvertible {
    /// Method and URL with secrets masked.
    public var description: String { "\(method) \(url)" }
}

/// A request that was checked and will not change: what `HTTPClient.executeRequest(_:)` takes.
///
/// Building one is where validation lives: every rule of RFC 9110 that a server could read two ways is an
/// `HTTPError.invalidRequest` that names the value at fault, and nothing is sent.
public struct Request: Sendable {
    /// One object for all of it: a request is copied a dozen times on its way, and each copy is one reference.
    private let content: Content

    private final class Content: Sendable {
        let method: HTTPMethod
        let url: HTTPURL
        let headers: HTTPHeaders
        let body: RequestBody
        let options: Options

        init(method: HTTPMethod, url: HTTPURL, headers: HTTPHeaders, body: RequestBody, options: Options) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            self.options = options
        }
    }

    /// What is not sent but says how to.
    private struct Options: Sendable {
        let timeouts: Timeouts
        let limits: Limits
        let redirects: RedirectPolicy
        let version: VersionPolicy
        let destination: BodyDestination
        let continueWait: Duration?
        let cookies: CookieJar?
        let progress: ProgressReports?
    }

    public var method: HTTPMethod { content.method }
    public var url: HTTPURL { content.url }
    /// The caller's headers in order, with the body's Content-Type and the URL's credentials added where the caller set
    /// none. What frames the message (Content-Length, Host) is the transport's to add.
    public var headers: HTTPHeaders { content.headers }
    public var body: RequestBody { content.body }
    /// Where the body of the response goes.
    public var destination: BodyDestination { content.options.destination }
    /// How long to wait for the server's leave before sending the body; nil does not ask.
    public var continueWait: Duration? { content.options.continueWait }
    var progress: ProgressReports? { content.options.progress }
    public var timeouts: Timeouts { content.options.timeouts }
    public var limits: Limits { content.options.limits }
    public var redirects: RedirectPolicy { content.options.redirects }
    public var version: VersionPolicy { content.options.version }
    /// Where cookies come from and go to; nil for none. They are added on the way out and are not among `headers`.
    public var cookies: CookieJar? { content.options.cookies }

    public init(_ draft: MutableRequest) throws(HTTPError) {
        if let failure = draft.failure { throw failure }
        do {
            let url = try RequestValidation.url(of: draft)
            try RequestValidation.check(draft)
            content = Content(
                method: draft.method, url: url.withoutUserinfo(),
                headers: Self.headers(of: draft, userinfo: url.userinfo), body: draft.body,
                options: Options(
                    timeouts: draft.timeouts.forBodies(streamed: draft.body.isStreamed || !draft.destination.isMemory),
                    limits: draft.limits.forBody(inMemory: draft.destination.isMemory), redirects: draft.redirects,
                    version: draft.version, destination: draft.destination, continueWait: draft.continueWait,
                    cookies: draft.cookies, progress: draft.progress))
        } catch {
            throw .invalidRequest(InvalidRequest(draft, error.description))
        }
    }

    /// This request on its way to another place: what a redirect makes of it.
    init(_ origin: Request, method: HTTPMethod, url: HTTPURL, headers: HTTPHeaders, body: RequestBody) {
        content = Content(method: method, url: url, headers: headers, body: body, options: origin.content.options)
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

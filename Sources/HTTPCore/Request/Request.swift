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
        let options: RequestOptions
        /// Whether a body was no memory's when the caller built it; a redirect that drops it gets no shorter time.
        let isStreamed: Bool

        init(
            method: HTTPMethod, url: HTTPURL, headers: HTTPHeaders, body: RequestBody, options: RequestOptions,
            isStreamed: Bool
        ) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            self.options = options
            self.isStreamed = isStreamed
        }
    }

    private var options: RequestOptions.Values { content.options.values }
    /// Those of a request in the making that would become this one: what depends on the bodies is settled.
    var optionsInForce: RequestOptions {
        content.options.with { [timeouts, limits] options in
            options.timeouts = timeouts
            options.limits = limits
        }
    }

    /// The method.
    public var method: HTTPMethod { content.method }
    /// The URL as it is sent, with every item of the query in it.
    public var url: HTTPURL { content.url }
    /// Where it goes, without a copy of all that is in the URL.
    package var origin: Origin { content.url.origin }
    /// The caller's headers in order, with the body's Content-Type and the URL's credentials added where the caller set
    /// none. What frames the message (Content-Length, Host) is the transport's to add.
    public var headers: HTTPHeaders { content.headers }
    /// The body that is sent.
    public var body: RequestBody { content.body }
    /// Where the body of the response goes.
    public var destination: BodyDestination { options.destination }
    /// How long to wait for the server's leave before sending the body; nil does not ask.
    public var continueWait: Duration? { options.continueWait }
    var progress: ProgressReports? { options.progress }
    /// Whether interceptors that have credentials add none.
    var isAnonymous: Bool { options.isAnonymous }
    /// How it is adapted before it is sent once more; nil to send it as it is.
    var renewal: RequestRenewal? { options.renewal }
    /// The observer of the call; nil for none.
    package var observer: CallObserver? { options.observer }
    var deadlineHeader: DeadlineHeader? { options.deadlineHeader }
    /// How long the phases of the call may take; the total is nil, for no limit, where a body is streamed and none
    /// was set.
    public var timeouts: Timeouts { options.timeouts.forBodies(streamed: content.isStreamed) }
    /// How large the response may be.
    public var limits: Limits { options.limits.forBody(inMemory: destination.isMemory) }
    /// Which redirects are followed, and which fields travel with them.
    public var redirects: RedirectPolicy { options.redirects }
    /// Which HTTP version to speak. With trailer fields HTTP/1.1, which alone has them.
    public var version: VersionPolicy { trailers == nil ? options.version : .http1 }
    /// What is sent behind the body, if it is sent: it goes where its announcement does.
    package var trailers: RequestTrailers? {
        options.trailers.flatMap { !body.isEmpty && headers.contains("Trailer") ? $0 : nil }
    }
    /// Where cookies come from and go to; nil for none. They are added on the way out and are not among `headers`.
    public var cookies: CookieJar? { options.cookies }

    /// Checks `draft` and makes it immutable. Throws `.invalidRequest` with the value at fault, or the error of a
    /// step; nothing is ever repaired.
    public init(_ draft: MutableRequest) throws(HTTPError) {
        if let failure = draft.failure { throw failure }
        do {
            let url = try RequestValidation.url(of: draft)
            try RequestValidation.check(draft)
            content = Content(
                method: draft.method, url: url.withoutUserinfo(),
                headers: Self.headers(of: draft, userinfo: url.userinfo), body: draft.body,
                options: draft.options, isStreamed: draft.body.isStreamed || !draft.destination.isMemory)
        } catch {
            throw .invalidRequest(InvalidRequest(draft, error.description))
        }
    }

    /// This request as redirected to another URL.
    init(_ origin: Request, method: HTTPMethod, url: HTTPURL, headers: HTTPHeaders, body: RequestBody) {
        content = Content(
            method: method, url: url, headers: headers, body: body, options: origin.content.options,
            isStreamed: origin.content.isStreamed)
    }

    /// This request with `observer` on its call.
    func observed(by observer: CallObserver) -> Request { Request(self, observer: observer) }

    private init(_ origin: Request, observer: CallObserver) {
        content = Content(
            method: origin.method, url: origin.url, headers: origin.headers, body: origin.body,
            options: origin.content.options.with { $0.observer = observer }, isStreamed: origin.content.isStreamed)
    }

    /// This request with other headers and options, on behalf of the same call.
    init(_ origin: Request, headers: HTTPHeaders, _ change: (inout RequestOptions.Values) -> Void) {
        content = Content(
            method: origin.method, url: origin.url, headers: headers, body: origin.body,
            options: origin.content.options.with(change), isStreamed: origin.content.isStreamed)
    }

    private static func headers(of draft: MutableRequest, userinfo: HTTPURL.Userinfo?) -> HTTPHeaders {
        var headers = draft.headers
        // The transport frames the message; a Content-Length that got here equals the body's.
        headers.removeAll(named: "Content-Length")
        if let contentType = draft.body.contentType, !headers.contains("Content-Type") {
            headers.append(contentType, for: "Content-Type")
        }
        if let trailers = draft.trailers, !headers.contains("Trailer") {
            headers.append(trailers.names.joined(separator: ", "), for: "Trailer")
        }
        if let userinfo, !headers.contains("Authorization") {
            headers.append(RequestStep.basicCredentials(userinfo.user, userinfo.password), for: "Authorization")
        }
        return headers
    }
}

extension Request: CustomStringConvertible {
    /// Method and URL with secrets masked.
    public var description: String { method.rawValue + " " + url.description }
}

/// A validated, immutable request: the input of `HTTPClient.executeRequest(_:)`.
///
/// Building one validates it. A value that breaks a rule of RFC 9110, or that servers could read in two ways, throws an
/// `HTTPError.invalidRequest` that names it. Nothing is sent.
public struct Request: Sendable {
    /// One object: a request is copied a dozen times on its way, and each copy takes one reference.
    private let content: Content

    private struct Values: Sendable {
        var method: HTTPMethod
        var url: HTTPURL
        var headers: HTTPHeaders
        var body: RequestBody
        var options: RequestOptions
        /// Whether a body was streamed when the caller built the request. A redirect that drops the body does not
        /// shorten the time.
        let isStreamed: Bool
        /// Whether the caller removed the Content-Type: none is sent, whatever the body.
        let hasNoContentType: Bool
    }

    private final class Content: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    private var options: RequestOptions.Values { content.values.options.values }
    /// The options of a draft from which this request could be built. Defaults that depend on the bodies are resolved.
    var optionsInForce: RequestOptions {
        content.values.options.with { [timeouts, limits] options in
            options.timeouts = timeouts
            options.limits = limits
        }
    }

    /// Whether the caller removed the Content-Type.
    var hasNoContentType: Bool { content.values.hasNoContentType }
    /// The options as the caller set them. What a stream has freed of the total timeout stays free.
    var givenOptions: RequestOptions {
        let options = content.values.options
        return content.values.isStreamed ? options.with { [timeouts] in $0.timeouts = timeouts } : options
    }

    /// The method.
    public var method: HTTPMethod { content.values.method }
    /// The URL as it is sent, including every query item.
    public var url: HTTPURL { content.values.url }
    /// The URL's origin, without a copy of the whole URL.
    package var origin: Origin { content.values.url.origin }
    /// The caller's headers in order. Content-Type from the body and Authorization from the URL are added unless the
    /// caller set them. The transport adds Content-Length and Host.
    public var headers: HTTPHeaders { content.values.headers }
    /// The body that is sent.
    public var body: RequestBody { content.values.body }
    /// Where the body of the response goes.
    public var destination: BodyDestination { options.destination }
    /// How long to wait for the server's consent before sending the body; nil does not ask.
    public var continueWait: Duration? { options.continueWait }
    var carried: MessageValues { options.carried }
    /// How long the phases of the call may take. The total is nil, for no limit, if a body is streamed or discarded and
    /// none was set.
    public var timeouts: Timeouts { options.timeouts.forBodies(streamed: content.values.isStreamed) }
    /// Whether the idle limit may end with the head of a response.
    package var mayBeQuiet: Bool { options.destination.quietTypes != nil && !options.timeouts.hasChosenIdle }
    /// Size limits of the response.
    public var limits: Limits { options.limits.forBody(inMemory: destination.isMemory) }
    /// Which redirects are followed, and which fields they carry.
    public var redirects: RedirectPolicy { options.redirects }
    /// The HTTP versions to use. HTTP/1.1 if there are trailer fields: only that version sends them here.
    public var version: VersionPolicy { trailers == nil ? options.version : .http1 }

    /// Validates `draft` and makes it immutable. Throws `.invalidRequest` with the invalid value, or the error of a
    /// step. Nothing is ever repaired.
    public init(_ draft: MutableRequest) throws(HTTPError) {
        if let failure = draft.failure { throw failure }
        if draft.hasParameters {
            var draft = draft
            try draft.encodeParameters()
            self = try Request(draft)
            return
        }
        do {
            let url = try RequestValidation.url(of: draft)
            try RequestValidation.check(draft)
            let headers = Self.headers(of: draft, userinfo: url.userinfo)
            if draft.method == .trace { try RequestValidation.checkTrace(headers) }
            let content = Content(
                Values(
                    method: draft.method, url: url.withoutUserinfo(), headers: headers, body: draft.body,
                    options: draft.options, isStreamed: draft.body.isStreamed || !draft.destination.isMemory,
                    hasNoContentType: draft.hasNoContentType))
            self.content = draft[HopKey.self]?.confining(Request(content)).content ?? content
        } catch {
            throw .invalidRequest(InvalidRequest(draft, error.description))
        }
    }

    private init(_ content: Content) { self.content = content }

    private init(_ origin: Request, _ change: (inout Values) -> Void) {
        var values = origin.content.values
        change(&values)
        content = Content(values)
    }

    /// This request, redirected to another URL.
    package init(_ origin: Request, method: HTTPMethod, url: HTTPURL, headers: HTTPHeaders, body: RequestBody) {
        self.init(origin) { ($0.method, $0.url, $0.headers, $0.body) = (method, url, headers, body) }
    }

    /// This request with other headers and options, on behalf of the same call.
    package init(_ origin: Request, headers: HTTPHeaders, _ change: (inout RequestOptions.Values) -> Void) {
        self.init(origin) { ($0.headers, $0.options) = (headers, $0.options.with(change)) }
    }

    private static func headers(of draft: MutableRequest, userinfo: HTTPURL.Userinfo?) -> HTTPHeaders {
        var headers = draft.headers
        // The transport frames the message. A Content-Length that is present here equals that of the body.
        headers.removeAll(named: "Content-Length")
        if let trailers = draft[TrailersKey.self], !headers.contains("Trailer") {
            headers.append(trailers.names.joined(separator: ", "), for: "Trailer")
        }
        if let userinfo, !headers.contains("Authorization"), !draft[AnonymousKey.self] {
            headers.append(RequestStep.basicCredentials(userinfo.user, userinfo.password), for: "Authorization")
        }
        RequestStep.makeIdempotencyKey(in: &headers)
        // The last, as in a request that is made of this one.
        if let contentType = draft.body.contentType, !headers.contains("Content-Type") {
            headers.append(contentType, for: "Content-Type")
        }
        return headers
    }
}

extension Request: Redacted {
    /// Method and URL with secrets masked.
    public var description: String { method.rawValue + " " + url.description }

    package var shownParts: [Mirror.Child] { [("headers", headers)] }
}

/// Two requests are equal if they send the same and treat the response alike: method, URL, header fields in order, body,
/// and settings. A part that is a closure (the source of a streamed body, a sink, trailer fields), and a cookie jar,
/// equals only itself: two requests made by the same line are equal if their bodies are in memory, and a request with
/// a stream equals its own copies. A multipart body has a random boundary, so that one made again is another, and so is
/// a request with a new idempotency key.
///
/// A value of one's own counts as its key says (`MessageKey.areEqual`). Who watches does not count: progress, and what
/// interceptors and engines note on a request on its way. Secrets are compared, and not printed.
extension Request: Equatable {
    public static func == (lhs: Request, rhs: Request) -> Bool {
        if lhs.content === rhs.content { return true }
        return lhs.method == rhs.method && lhs.url == rhs.url && lhs.headers == rhs.headers && lhs.body == rhs.body
            && lhs.timeouts == rhs.timeouts && lhs.limits == rhs.limits
            && (lhs.content.values.options === rhs.content.values.options || lhs.options.treatAlike(rhs.options))
    }
}

extension BodyDestination {
    /// Whether both lead to the same place.
    func isSame(as other: BodyDestination) -> Bool {
        guard takesRefusals == other.takesRefusals else { return false }
        return switch (kind, other.kind) {
        case (.memory, .memory), (.discard, .discard): true
        case (.file(let path), .file(let other)): path == other
        case (.stream(let factory), .stream(let other)): factory === other
        case (.memory, _), (.discard, _), (.file, _), (.stream, _): false
        }
    }
}

extension RequestOptions.Values {
    /// Whether a call treats both alike. The bodies decide about timeouts and limits: those are not compared here.
    func treatAlike(_ other: RequestOptions.Values) -> Bool {
        redirects == other.redirects && version == other.version && destination.isSame(as: other.destination)
            && continueWait == other.continueWait && carried.areEqual(to: other.carried)
    }
}

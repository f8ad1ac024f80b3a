/// What kept a call from giving a response. Each case is something a person can act on, and its text says how.
///
/// A response is never an error by itself: a 404 is a response until `validated()` is called.
///
/// A payload is stored behind a reference: errors are rare, and results are passed on at every step.
public indirect enum HTTPError: Error, Sendable {
    /// The request breaks a rule and nothing was sent.
    case invalidRequest(InvalidRequest)
    /// The transport at hand cannot do what was asked for, and nothing was sent.
    case unsupported(Unsupported)
    /// The call's token was cancelled; or a future was, and then there is no record of a call.
    case cancelled(CallRecord?)
    /// A limit of time ran out.
    case timedOut(TimeoutFailure)
    /// The queue of waiting calls was full, and this one was not sent.
    case overloaded(Overload)
    /// The request wanted a cached response only (`only-if-cached`), and there is none for it.
    case notCached(NotCached)
    /// The host name has no address.
    case resolution(ResolutionFailure)
    /// The transport's policy forbids to connect there, and nothing was sent there.
    case destinationRefused(DestinationFailure)
    /// No connection came about, or it broke.
    case connection(ConnectionFailure)
    /// The TLS handshake failed or the server could not be trusted.
    case tls(TLSFailure)
    /// The server sent something that is not HTTP, or is ambiguous.
    case protocolViolation(ProtocolViolation)
    /// The body ended before its end.
    case truncatedBody(TruncatedBody)
    /// The response is larger than the request allows.
    case limitExceeded(LimitExceeded)
    /// The request's body could not be had, or the response's could not be put where it should go.
    case body(BodyFailure)
    /// An interceptor, or the refresh of its token, threw an error that is not an `HTTPError`.
    case interceptor(InterceptorFailure)
    /// A redirect was not followed.
    case redirect(RedirectFailure)
    /// The status is not one the caller accepts; the response is whole.
    case unacceptableStatus(Response)
    /// The body does not have the form that was asked for; the response is whole.
    case decoding(DecodingFailure)
    /// A future can never end: its promise went away unresolved.
    case brokenPromise(BrokenPromise)
}

extension HTTPError {
    /// What was tried; nil where nothing was sent or the exchange itself worked.
    public var record: CallRecord? {
        switch self {
        case .invalidRequest, .unsupported, .unacceptableStatus, .decoding, .brokenPromise: nil
        case .cancelled(let record): record
        case .timedOut(let failure): failure.record
        case .overloaded(let failure): failure.record
        case .notCached(let failure): failure.record
        case .resolution(let failure): failure.record
        case .destinationRefused(let failure): failure.record
        case .connection(let failure): failure.record
        case .tls(let failure): failure.record
        case .protocolViolation(let failure): failure.record
        case .truncatedBody(let failure): failure.record
        case .limitExceeded(let failure): failure.record
        case .body(let failure): failure.record
        case .interceptor(let failure): failure.record
        case .redirect(let failure): failure.record
        }
    }

    /// The server's answer, where there is a whole one.
    public var response: Response? {
        switch self {
        case .unacceptableStatus(let response): response
        case .decoding(let failure): failure.response
        default: nil
        }
    }

    /// The status of that answer; nil where none came whole.
    public var status: HTTPStatus? { response?.status }
}

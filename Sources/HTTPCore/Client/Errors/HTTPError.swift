/// Why a call gave no response. Each case is something that a person can act on, and its text says how.
///
/// A response is never an error by itself: a 404 is a response until `validated()` is called.
///
/// The payloads are indirect: errors are rare, and results are copied at every step.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public indirect enum HTTPError: Error, Sendable {
    /// The request is invalid, and nothing was sent.
    case invalidRequest(InvalidRequest)
    /// What the request needs is not to be had: the engine cannot do it, or a setting cannot be used, such as a certificate, a
    /// rule for destinations or a rate limit. Nothing was sent, except where only the answer shows it, as a
    /// content coding may that the engine does not take, or HTTP_1_1_REQUIRED (RFC 9113 §7), and where the process forked
    /// during the call.
    case unsupported(Unsupported)
    /// The call's token was cancelled. Nil if a future or a sequence was cancelled, which has no record.
    case cancelled(CallRecord?)
    /// A time limit expired.
    case timedOut(TimeoutFailure)
    /// The host name has no address.
    case resolution(ResolutionFailure)
    /// The transport's policy does not allow this destination, and nothing was sent to it.
    case destinationRefused(DestinationFailure)
    /// The connection could not be opened, or was lost.
    case connection(ConnectionFailure)
    /// The TLS handshake failed, or the server is not trusted.
    case tls(TLSFailure)
    /// The response is not valid HTTP, or is ambiguous.
    case protocolViolation(ProtocolViolation)
    /// The body ended before it was complete.
    case truncatedBody(TruncatedBody)
    /// The response is larger than the request's limits.
    case limitExceeded(LimitExceeded)
    /// The request's body could not be read, or the response's could not be delivered.
    case body(BodyFailure)
    /// An interceptor, or the refresh of its token, threw an error that is not an `HTTPError`.
    case interceptor(InterceptorFailure)
    /// A redirect was not followed.
    case redirect(RedirectFailure)
    /// The caller does not accept the status; the response is complete.
    case unacceptableStatus(Response)
    /// The body cannot be decoded; the response is complete.
    case decoding(DecodingFailure)
    /// A failure of a policy, an adapter or a client that adds its own: `NotCached`, `PolicyFault`, `Overload`.
    case other(any OtherFailure)

    /// The record of the call. Nil where there is nothing to record: for an invalid or unsupported request, for a future or a
    /// sequence that had no call, and where the exchange worked and a response says more. It does not mean that anything was
    /// sent.
    public var record: CallRecord? { payload?.call }

    /// The response of the server, if it is complete.
    public var response: Response? {
        if case .unacceptableStatus(let response) = self { return response }
        return if case .decoding(let failure) = self { failure.response } else { nil }
    }

    /// The status of that response; nil if there is none.
    public var status: HTTPStatus? { response?.status }
}

extension Result where Failure == HTTPError {
    /// The outcome of a throwing call. A closure would have to declare its error's type.
    package init(_ value: @autoclosure () throws(HTTPError) -> Success) {
        do { self = .success(try value()) } catch { self = .failure(error) }
    }
}

/// Which calls are tried again, how often and when.
public struct RetryPolicy: Sendable {
    /// How many attempts may follow the first. 2.
    public var limit: Int
    /// The statuses after which another attempt may succeed: 408, 429, 500, 502, 503 and 504.
    public var statuses: Set<HTTPStatus>
    /// How long to wait before each further attempt, where the server names no time.
    public var backoff: Backoff
    /// The longest wait that a server's Retry-After may ask for: 60 s. An answer that asks for a longer one is delivered.
    public var longestRetryAfter: Duration
    /// Whether requests are repeated, too, whose method is not idempotent and that carry no Idempotency-Key. Off: such a
    /// request may have taken effect though it failed.
    public var repeatsAnyMethod: Bool

    /// Rules for retries. Omitted settings have their defaults.
    public init(
        limit: Int = 2, statuses: Set<HTTPStatus> = [408, 429, 500, 502, 503, 504], backoff: Backoff = Backoff(),
        longestRetryAfter: Duration = .seconds(60), repeatsAnyMethod: Bool = false
    ) {
        self.limit = limit
        self.statuses = statuses
        self.backoff = backoff
        self.longestRetryAfter = longestRetryAfter
        self.repeatsAnyMethod = repeatsAnyMethod
    }

    /// Whether another attempt may come to something else.
    func isTransient(_ outcome: Result<Response, HTTPError>) -> Bool {
        if let answer = outcome.answer { return statuses.contains(answer.status) }
        guard case .failure(let error) = outcome else { return false }
        return switch error {
        case .resolution, .truncatedBody: true
        // A proxy's refusal is a matter of its configuration.
        case .connection(let failure): failure.reason != .proxy
        case .timedOut(let failure): failure.limit == .connect || failure.limit == .idle
        case .invalidRequest, .unsupported, .cancelled, .overloaded, .notCached, .destinationRefused, .tls,
            .protocolViolation, .limitExceeded, .body, .interceptor, .redirect, .unacceptableStatus, .decoding,
            .brokenPromise:
            false
        }
    }

    /// Whether sending `request` twice does no more than sending it once.
    func mayRepeat(_ request: Request) -> Bool {
        guard request.body.isReplayable else { return false }
        return repeatsAnyMethod || request.mayBeRepeated
    }
}

extension Request {
    /// Whether the server makes no difference between one and several of it: its method is idempotent (RFC 9110 §9.2.2), or
    /// it has an Idempotency-Key.
    var mayBeRepeated: Bool { method.isIdempotent || headers.contains("Idempotency-Key") }
}

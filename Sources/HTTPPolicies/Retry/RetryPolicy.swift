/// Which calls are retried, how often and when.
public struct RetryPolicy: Sendable {
    /// The maximum number of retries, 2 by default.
    public var limit: Int
    /// The statuses that are retried: 408, 429, 500, 502, 503 and 504 by default.
    public var statuses: Set<HTTPStatus>
    /// The wait before each retry, unless the server sets it.
    public var backoff: Backoff
    /// The maximum wait that a server's Retry-After may set, 60 s by default. A response that asks for a longer one is
    /// not retried, nor is one that asks for more than the call has left: by default that is less than 60 s.
    public var longestRetryAfter: Duration
    /// Reads a wait that a server asks for in fields of its own, such as X-RateLimit-Reset; nil, the default, knows only
    /// Retry-After, which comes first. It gets the time in seconds since 1970, and `longestRetryAfter` holds for it.
    /// Bound what a server says before you make a `Duration` of it, which not every number can be.
    public var askedWait: (@Sendable (_ response: Response, _ unixTime: Double) -> Duration?)?
    /// Whether requests whose method is not idempotent, and that have no Idempotency-Key, are retried too when they may
    /// have been sent. Off by default: such a request may have taken effect even if it failed.
    public var repeatsAnyMethod: Bool
    /// Decides instead of `statuses` and the kinds of errors; nil, the default, leaves it to them.
    var condition: (@Sendable (Result<Response, HTTPError>) -> Bool)?

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

    /// Whether a retry may succeed, whatever the method of the request: by the statuses and kinds of errors that are
    /// retried.
    public func isTransient(_ outcome: Result<Response, HTTPError>) -> Bool {
        if let condition { return condition(outcome) }
        if let answer = outcome.answer { return statuses.contains(answer.status) }
        guard case .failure(let error) = outcome else { return false }
        return switch error {
        case .resolution, .truncatedBody: true
        // Any other refusal by a proxy depends on its configuration.
        case .connection(let failure): failure.reason != .proxy || failure.isOfBusyProxy
        case .timedOut(let failure): failure.limit == .connect || failure.limit == .idle
        // A server that restarts cuts handshakes off. What is wrong with a certificate stays wrong.
        case .tls(let failure): failure.reason == .handshake
        case .invalidRequest, .unsupported, .cancelled, .destinationRefused, .protocolViolation,
            .limitExceeded, .body, .interceptor, .redirect, .unacceptableStatus, .decoding:
            false
        case .other(let failure): failure.isTransient
        }
    }

    /// Whether sending `request` twice has the same effect as sending it once, or nothing of it was sent.
    func mayRepeat(_ request: Request, after outcome: Result<Response, HTTPError>) -> Bool {
        guard request.body.isReplayable else { return false }
        return repeatsAnyMethod || request.mayBeRepeated || outcome.isUnsent
    }

    /// The attempts made and the time left.
    struct Situation {
        /// The number of retries so far.
        var retries = 0
        /// Whether a stream has had a part of the body, which would come twice.
        var hasDelivered = false
        /// The time left; nil if it is unlimited.
        var timeLeft: Duration?
        /// Seconds since 1970.
        var unixTime = 0.0
        /// From 0 up to 1.
        var jitter = 1.0
    }

    /// How long the server asks to wait; nil if it does not.
    func asked(in outcome: Result<Response, HTTPError>, unixTime: Double) -> Duration? {
        outcome.answer.flatMap { RetryAfter.wait($0.headers, unixTime: unixTime) ?? askedWait?($0, unixTime) }
    }

    /// How long to wait before the attempt after a transient outcome; nil if there is none. A pure function of the outcome
    /// and the situation.
    func wait(after outcome: Result<Response, HTTPError>, of request: Request, in situation: Situation) -> Duration? {
        guard situation.retries < limit, !situation.hasDelivered, mayRepeat(request, after: outcome) else { return nil }
        let asked = asked(in: outcome, unixTime: situation.unixTime)
        if let asked, asked > longestRetryAfter { return nil }
        let wait = max(asked ?? .zero, backoff.delay(after: situation.retries, drawn: situation.jitter))
        // A wait beyond the deadline would only delay the result.
        if let timeLeft = situation.timeLeft, wait >= timeLeft { return nil }
        return wait
    }
}

extension ConnectionFailure {
    /// Whether the proxy had no connection to give to the server, and may have one later.
    fileprivate var isOfBusyProxy: Bool { proxyStatus.map { [502, 503, 504].contains($0) } ?? false }
}

extension Result<Response, HTTPError> {
    /// Whether the server has certainly processed nothing, not before a redirect either. What a closure threw does not say
    /// what that had sent.
    fileprivate var isUnsent: Bool {
        guard case .failure(let error) = self, !error.mayHaveBeenProcessed else { return false }
        return switch error {
        case .connection, .resolution, .tls: true
        case .timedOut(let failure): failure.limit == .connect
        case .other(let failure): !failure.wasSent
        case .invalidRequest, .unsupported, .cancelled, .destinationRefused, .protocolViolation, .truncatedBody,
            .limitExceeded, .body, .interceptor, .redirect, .unacceptableStatus, .decoding:
            false
        }
    }
}

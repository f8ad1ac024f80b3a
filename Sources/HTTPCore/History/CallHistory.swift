/// The history of a call in chronological order. Safe to print, log and store: secrets are masked and its size is
/// bounded.
///
///     let history = response.history
///     for attempt in history.attempts { print(attempt.url, attempt.timings.complete) }
///     try JSONEncoder().encode(history)
public struct CallHistory: Sendable, Hashable, Codable {
    /// The id, as in the call's events and log lines.
    public var id: CallID
    /// The duration of the whole call: `Metrics.total` plus the decoding of the body.
    public var total: Duration
    /// The exchanges, at most `limit`; beyond that, the middle ones are dropped.
    public var attempts: [CallAttempt]
    /// The waits, at most `limit`; beyond that, the middle ones are dropped.
    public var waits: [CallWait]
    /// The number of exchanges, including dropped ones.
    public var attemptCount: Int
    /// The time spent so far on decoding the body with `decoded(as:)`. Part of `total`.
    public var decoding: Duration
    /// Whether the `RetryBudget` refused a retry.
    public var isRetryRefused: Bool
    /// Whether `BearerTokens.RefreshWindow` allowed no further refresh.
    public var isRefreshRefused: Bool
    /// How a cache handled the call, as a Cache-Status field (RFC 9211): `straightline; hit; ttl=299`. Nil without a cache
    /// and for an error without a response.
    public var cacheStatusField: String?

    /// The maximum number of attempts, and of waits, that are kept: 64.
    public static let limit = 64

    private enum CodingKeys: String, CodingKey {
        case id, total, attempts, waits, attemptCount, decoding, isRetryRefused, isRefreshRefused
        case cacheStatusField = "cacheStatus"
    }

    init(_ metrics: Metrics, last: CallAttempt?, decoding: Duration = .zero) {
        id = metrics.id
        total = metrics.total + decoding
        attempts = metrics.earlier
        if let last { attempts.record(last) }
        waits = metrics.waits
        attemptCount = metrics.attemptCount
        self.decoding = decoding
        isRetryRefused = metrics.isRetryRefused
        isRefreshRefused = metrics.isRefreshRefused
    }
}

/// The attempts or the waits of a history.
extension Array {
    /// Appends one and, beyond `CallHistory.limit`, drops one from the middle: the first and the last say the most.
    package mutating func record(_ part: Element) {
        if count >= CallHistory.limit { remove(at: CallHistory.limit / 2) }
        append(part)
    }
}

extension Response {
    /// The history of the call.
    public var history: CallHistory {
        let last = CallAttempt(
            metrics, method: request.method, url: Redaction.url(request.url), authority: request.origin.authority,
            outcome: .answered(status))
        var history = CallHistory(metrics, last: metrics.attemptCount > 0 ? last : nil, decoding: decodingTime)
        history.cacheStatusField = cacheStatus.map { ASCII.printable("\($0)") }
        return history
    }
}

extension HTTPError {
    /// The history of the call; nil for an error without a call.
    public var history: CallHistory? {
        if let response { return response.history }
        return record.map { CallHistory($0.metrics, last: $0.isOfExchange ? CallAttempt($0, failedBy: self) : nil) }
    }
}

extension CallAttempt {
    package init(_ record: CallRecord, failedBy error: HTTPError) {
        if case .redirect(let failure) = error {
            self.init(record, outcome: .answered(failure.status))
        } else {
            self.init(record, outcome: .failed(record.phase, reason: error.payload?.shortReason ?? "cancelled"))
        }
    }
}

extension CallRecord {
    /// Whether an exchange was running, to which the timings belong.
    var isOfExchange: Bool {
        if phase == .starting { return metrics.timings.complete > .zero || metrics.timings.finished > .zero }
        return phase.isPhase && metrics.attemptCount > 0
    }
}

/// What a call did, in the order of time. Safe to print and to keep: secrets are masked, and it is bounded in size.
public struct CallHistory: Sendable, Hashable, Codable {
    /// The whole call: `Metrics.total`.
    public var total: Duration
    /// Those it kept: of more than `limit` the ones in the middle are left out.
    public var attempts: [CallAttempt]
    public var waits: [CallWait]
    /// How many exchanges there were, those that were left out included.
    public var attemptCount: Int

    /// How many attempts and how many waits are kept.
    public static let limit = 64

    init(_ metrics: Metrics, last: CallAttempt?) {
        total = metrics.total
        attempts = metrics.earlier + (last.map { [$0] } ?? [])
        waits = metrics.waits
        attemptCount = metrics.attempts
    }
}

extension Response {
    /// What the call did, exchange by exchange.
    public var history: CallHistory {
        let last = CallAttempt(
            metrics, method: request.method, url: Redaction.url(request.url), authority: request.origin.authority,
            outcome: .answered(status))
        return CallHistory(metrics, last: last)
    }
}

extension HTTPError {
    /// What the call did, exchange by exchange; nil for an error of no call.
    public var history: CallHistory? {
        if let response { return response.history }
        guard let record else { return nil }
        let hasBegun = record.metrics.attempts > record.metrics.earlier.count && record.phase.isOfExchange
        let last = hasBegun ? CallAttempt(record, outcome: .failed(record.phase, reason: ASCII.printable(name))) : nil
        return CallHistory(record.metrics, last: last)
    }

    /// The case, as a person would call it.
    private var name: String {
        switch self {
        case .timedOut(let failure): "timed out (\(failure.limit?.rawValue ?? "a future's limit"))"
        case .cancelled: "cancelled"
        case .resolution: "no address"
        case .connection: "no connection"
        case .tls: "no trust"
        case .protocolViolation: "no HTTP"
        case .truncatedBody: "cut short"
        case .limitExceeded: "too large"
        default: "failed"
        }
    }
}

extension CallPhase {
    /// Whether an exchange was under way.
    var isOfExchange: Bool {
        switch self {
        case .queued, .betweenAttempts, .authorizing: false
        case .starting, .resolving, .connecting, .securing, .sending, .waiting, .receiving: true
        }
    }
}

extension [CallAttempt] {
    /// Adds one, and keeps to the limit: the first and the last say the most.
    package mutating func note(_ attempt: CallAttempt) {
        if count >= CallHistory.limit { remove(at: CallHistory.limit / 2) }
        append(attempt)
    }
}

extension [CallWait] {
    mutating func note(_ wait: CallWait) {
        if count >= CallHistory.limit { remove(at: CallHistory.limit / 2) }
        append(wait)
    }
}

/// A period in which a call waited outside an exchange.
public struct CallWait: Sendable, Hashable, Codable {
    /// What kept the call waiting.
    public var cause: CallActivity
    /// When it began, relative to the start of the call.
    public var start: Duration
    /// How long the wait was.
    public var duration: Duration
    /// The reason for its length in a few words: the policy's setting, or the server's request. Nil for none.
    public var reason: String?
    /// The setting that would have made it shorter, as an imperative: `raise the limit of calls`. Nil if whoever waited gives
    /// none.
    public var advice: String?

    /// A wait that began `start` after the call did.
    public init(
        _ cause: CallActivity, start: Duration, duration: Duration, reason: String? = nil, advice: String? = nil
    ) {
        self.cause = cause
        self.start = start
        self.duration = duration
        self.reason = reason
        self.advice = advice
    }
}

extension [CallWait] {
    /// Appends one, and drops one from the middle beyond `CallHistory.limit`.
    mutating func record(_ wait: CallWait) {
        if count >= CallHistory.limit { remove(at: CallHistory.limit / 2) }
        append(wait)
    }
}

/// The activity that took most of a call's time.
package struct CallCause: Sendable, Hashable {
    package let kind: Kind
    /// The part of the total that it took.
    package let duration: Duration

    package enum Kind: Sendable, Hashable {
        case segment(CallActivity)
        /// All phases of a new connection, if none of them stands out.
        case newConnection
        /// Exchanges that led to a redirect.
        case redirects(count: Int)
        /// Repeated attempts, and the waits between them.
        case retries(count: Int)
    }

    /// Nil for a call that took no time.
    package init?(_ history: CallHistory) {
        var sums: [Kind: Duration] = [:]
        for segment in history.segments { sums[history.kind(of: segment), default: .zero] += segment.duration }
        Self.joinConnection(&sums)
        // A tie goes to the first by name, so that the same history always gets the same sentence.
        let largest = sums.min { ($1.value, "\($0.key)") < ($0.value, "\($1.key)") }
        guard let largest, largest.value > .zero else { return nil }
        (kind, duration) = (largest.key, largest.value)
    }

    /// The phases of a new connection count as one if the longest takes less than three fifths of their time.
    private static func joinConnection(_ sums: inout [Kind: Duration]) {
        let phases = [CallActivity.resolving, .connecting, .securing, .preparing].map(Kind.segment)
        let durations = phases.compactMap { sums[$0] }
        let whole = durations.reduce(.zero, +)
        guard durations.count > 1, let longest = durations.max(), longest * 5 < whole * 3 else { return }
        for phase in phases { sums[phase] = nil }
        sums[.newConnection] = whole
    }
}

extension CallHistory {
    /// The attempts before the last that were repeated.
    package var retried: [CallAttempt] { attempts.dropLast().filter { $0.redirect == nil } }

    /// The attempts that led to a redirect.
    package var redirected: [CallAttempt] { attempts.dropLast().filter { $0.redirect != nil } }

    fileprivate func kind(of segment: CallSegment) -> CallCause.Kind {
        // Attempts in the middle may have been dropped.
        let retryCount = attemptCount - 1 - redirected.count
        if segment.kind == .betweenAttempts { return .retries(count: max(1, retryCount)) }
        guard let attempt = segment.attempt, attempt != attempts.last?.number else { return .segment(segment.kind) }
        if redirected.contains(where: { $0.number == attempt }) { return .redirects(count: redirected.count) }
        return .retries(count: max(1, retryCount))
    }
}

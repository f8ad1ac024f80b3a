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
    var retried: [CallAttempt] { attempts.dropLast().filter { $0.redirect == nil } }

    /// The attempts that led to a redirect.
    var redirected: [CallAttempt] { attempts.dropLast().filter { $0.redirect != nil } }

    fileprivate func kind(of segment: CallSegment) -> CallCause.Kind {
        // Attempts in the middle may have been dropped.
        let retryCount = attemptCount - 1 - redirected.count
        if segment.activity == .betweenAttempts { return .retries(count: max(1, retryCount)) }
        guard let attempt = segment.attempt, attempt != attempts.last?.number else { return .segment(segment.activity) }
        if redirected.contains(where: { $0.number == attempt }) { return .redirects(count: redirected.count) }
        return .retries(count: max(1, retryCount))
    }
}

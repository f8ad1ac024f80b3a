/// The duration of a part of an exchange.
struct StubLatency: Sendable {
    let phase: CallActivity
    let duration: Duration
}

/// The course of a slow exchange within the timeouts of its request: a pure function of both.
struct LatencyCourse: Hashable {
    private(set) var elapsed = Duration.zero
    /// The end of each phase that takes time.
    private(set) var timings = PhaseTimings()
    /// Nil if it completed.
    private(set) var stop: Stop?

    struct Stop: Hashable {
        let limit: TimeoutFailure.Limit
        let phase: CallActivity
    }

    /// `mayBeQuiet`: whether the body may pause as long as the server likes.
    init(_ latencies: [StubLatency], timeouts: Timeouts, mayBeQuiet: Bool = false, timeLeft: Duration?) {
        for phase in Self.order(latencies) where stop == nil {
            let duration = latencies.filter { $0.phase == phase }.reduce(.zero) { $0 + max($1.duration, .zero) }
            guard duration > .zero else { continue }
            var timeouts = timeouts
            if phase == .receiving, mayBeQuiet { timeouts.idle = nil }
            pass(duration, in: phase, timeouts: timeouts, timeLeft: timeLeft)
            if stop == nil, let end = Self.ends[phase] { timings[keyPath: end] = elapsed }
        }
    }

    /// What a policy names is a wait before the exchange.
    private static func order(_ latencies: [StubLatency]) -> [CallActivity] {
        Set(latencies.map(\.phase)).subtracting(CallActivity.allCases) + CallActivity.allCases
    }

    private static let ends: [CallActivity: any WritableKeyPath<PhaseTimings, Duration> & Sendable] = [
        .resolving: \.resolved, .connecting: \.connected, .tunneling: \.tunneled, .securing: \.secured,
        .preparing: \.ready, .sending: \.sent, .waiting: \.firstByte,
    ]

    /// From the first byte of the response.
    private static let afterAnswer: Set<CallActivity> = [
        .receiving, .decompressing, .finishing, .handingOver, .decoding, .other,
    ]

    private mutating func pass(_ duration: Duration, in phase: CallActivity, timeouts: Timeouts, timeLeft: Duration?) {
        var end = duration
        // If two expire at the same time, the total timeout is reported.
        for (limit, left) in [
            (.total, timeLeft.map { $0 - elapsed }), Self.limit(of: phase, timeouts: timeouts, elapsed: elapsed),
        ] as [(TimeoutFailure.Limit, Duration?)] {
            guard let left, left < end || (left == end && stop == nil) else { continue }
            end = max(left, .zero)
            stop = Stop(limit: limit, phase: phase)
        }
        elapsed += end
    }

    /// The timeout of a phase, besides the total one, and the time left of it.
    private static func limit(
        of phase: CallActivity, timeouts: Timeouts, elapsed: Duration
    ) -> (TimeoutFailure.Limit, Duration?) {
        // No bytes move meanwhile.
        phase == .sending || phase == .waiting || afterAnswer.contains(phase)
            ? (.idle, timeouts.idle) : (.connect, timeouts.connect.map { $0 - elapsed })
    }
}

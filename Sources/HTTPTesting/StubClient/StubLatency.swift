import HTTPCore

/// The duration of a part of an exchange.
struct StubLatency: Sendable {
    let phase: CallPhase
    let duration: Duration
}

/// The course of a slow exchange within the timeouts of its request: a pure function of both.
struct LatencyCourse: Hashable {
    /// Its duration.
    private(set) var elapsed = Duration.zero
    /// The time until the first byte of the response, or until it stopped before.
    private(set) var untilAnswer = Duration.zero
    /// The end of each phase that takes time.
    private(set) var timings = PhaseTimings()
    /// Nil if it completed.
    private(set) var stop: Stop?

    struct Stop: Hashable {
        let limit: TimeoutFailure.Limit
        let phase: CallPhase
    }

    /// `mayBeQuiet`: whether the body may pause as long as the server likes.
    init(_ latencies: [StubLatency], timeouts: Timeouts, mayBeQuiet: Bool = false, timeLeft: Duration?) {
        for phase in CallPhase.allCases where stop == nil {
            let duration = latencies.filter { $0.phase == phase }.reduce(.zero) { $0 + max($1.duration, .zero) }
            guard duration > .zero else { continue }
            var timeouts = timeouts
            if phase == .receiving, mayBeQuiet { timeouts.idle = nil }
            pass(duration, in: phase, timeouts: timeouts, timeLeft: timeLeft)
            if phase != .receiving { untilAnswer = elapsed }
            if stop == nil { record(phase) }
        }
    }

    private mutating func record(_ phase: CallPhase) {
        switch phase {
        case .resolving: timings.resolved = elapsed
        case .connecting: timings.connected = elapsed
        case .securing: timings.secured = elapsed
        case .sending: timings.sent = elapsed
        case .waiting: timings.firstByte = elapsed
        case .queued, .betweenAttempts, .authorizing, .collapsed, .starting, .receiving: break
        }
    }

    private mutating func pass(_ duration: Duration, in phase: CallPhase, timeouts: Timeouts, timeLeft: Duration?) {
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
        of phase: CallPhase, timeouts: Timeouts, elapsed: Duration
    ) -> (TimeoutFailure.Limit, Duration?) {
        switch phase {
        case .queued, .betweenAttempts, .authorizing, .collapsed, .starting, .resolving, .connecting, .securing:
            (.connect, timeouts.connect.map { $0 - elapsed })
        // No bytes move meanwhile.
        case .sending, .waiting, .receiving: (.idle, timeouts.idle)
        }
    }
}

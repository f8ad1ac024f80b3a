/// A part of a call's time. The segments of a call do not overlap, and add up to its total.
public struct CallSegment: Sendable, Hashable, Codable {
    /// What the call was doing.
    public let activity: CallActivity
    /// Its start, relative to the start of the call.
    public let start: Duration
    /// How long it took; above zero.
    public let duration: Duration
    /// The `CallAttempt.number` of its exchange; nil for none.
    public let attempt: Int?
}

extension CallHistory {
    /// The segments of `total` in chronological order. If two would overlap, the later one is cut.
    public var segments: [CallSegment] {
        var timeline = Timeline(total: total - decoding)
        var pending = waits.sorted { $0.start < $1.start }[...]
        for attempt in attempts {
            while let wait = pending.first, wait.start <= attempt.start {
                timeline.add(wait.cause, wait.start, wait.start + wait.duration, nil)
                pending.removeFirst()
            }
            for phase in attempt.phases {
                timeline.add(phase.activity, attempt.start + phase.start, attempt.start + phase.end, attempt.number)
            }
            timeline.add(.handingOver, attempt.end, attempt.end + attempt.handover, attempt.number)
        }
        for wait in pending { timeline.add(wait.cause, wait.start, wait.start + wait.duration, nil) }
        return timeline.finished(decoding: decoding)
    }
}

extension PhaseTimings {
    /// When each phase ended, in order, up to the first byte of the response.
    var ends: [(CallActivity, Duration)] {
        [
            (.starting, started), (.resolving, resolved), (.connecting, connected), (.tunneling, tunneled),
            (.securing, secured), (.preparing, ready), (.sending, sent), (.waiting, firstByte),
        ]
    }
}

extension CallAttempt {
    /// The phases of the exchange, from its start. The phase in which it failed lasts until its end.
    package var phases: [(activity: CallActivity, start: Duration, end: Duration)] {
        var phases: [(activity: CallActivity, start: Duration, end: Duration)] = []
        var now = Duration.zero
        func add(_ activity: CallActivity, until end: Duration) {
            guard end > now else { return }
            phases.append((activity, now, end))
            now = end
        }
        for (activity, end) in timings.ends { add(activity, until: end) }
        add(lastPhase, until: timings.complete - timings.contentDecoding)
        add(.decompressing, until: timings.complete)
        add(.finishing, until: timings.finished)
        return phases
    }

    /// The phase in which it ended.
    private var lastPhase: CallActivity {
        if case .failed(let phase, _) = outcome { return phase.isPhase ? phase : .other }
        return timings.firstByte > .zero ? .receiving : .waiting
    }
}

/// Arranges segments one after the other, and fills the gaps.
private struct Timeline {
    let total: Duration
    private var segments: [CallSegment] = []
    private var now = Duration.zero

    init(total: Duration) { self.total = total }

    mutating func add(_ activity: CallActivity, _ start: Duration, _ end: Duration, _ attempt: Int?) {
        let (start, end) = (max(start, now), min(end, total))
        guard end > start else { return }
        fill(until: start)
        append(activity, until: end, attempt)
    }

    private mutating func fill(until end: Duration) {
        if end > now { append(.other, until: end, nil) }
    }

    private mutating func append(_ activity: CallActivity, until end: Duration, _ attempt: Int?) {
        segments.append(CallSegment(activity: activity, start: now, duration: end - now, attempt: attempt))
        now = end
    }

    mutating func finished(decoding: Duration) -> [CallSegment] {
        fill(until: total)
        if decoding > .zero { append(.decoding, until: total + decoding, nil) }
        return segments
    }
}

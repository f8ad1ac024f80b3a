/// A part of a call's time. The segments of a call do not overlap, and add up to its total.
public struct CallSegment: Sendable, Hashable, Codable {
    /// The activity that took a part of a call's time.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        /// Waiting for a `CallWait.Cause`.
        case dispatcher, hostLimit, rateLimit, retry, token, collapsed
        /// Reading the cache's store, or writing to it.
        case cache
        /// Work of another policy: `PolicyStep.run`.
        case work
        /// Work before the engine starts: taking a connection from the pool and opening the body. In an event loop, other calls
        /// run meanwhile.
        case setUp
        /// Resolving the host name.
        case resolve
        /// Opening the TCP connection.
        case connect
        /// Opening a tunnel through a proxy; `PhaseTimings.tunneled` says when that can be measured.
        case tunnel
        /// The TLS handshake.
        case secure
        /// From the open connection until the request can be sent, for example until a shared connection has capacity.
        case prepare
        /// Sending the body, if it is too large to be sent with the head.
        case send
        /// Sending the rest of the request, and waiting for the first byte of the response.
        case server
        /// Receiving the response, from its first byte to its last.
        case receive
        /// Content decoding (gzip, deflate, br, zstd). It happens while the response arrives, but is shown as one
        /// segment after it.
        case contentDecoding
        /// Work after the last byte arrived: checking the response, finishing the sink and handing it over. In an event loop,
        /// other calls run meanwhile.
        case finish
        /// Between policies and transport: `CallAttempt.handover`.
        case handover
        /// Decoding the body with `decoded(as:)`.
        case decode
        /// None of these: time that no part of the call has measured.
        case other
    }

    /// The activity.
    public let kind: Kind
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
                timeline.add(CallSegment.Kind(wait.cause), wait.start, wait.start + wait.duration, nil)
                pending.removeFirst()
            }
            for phase in attempt.phases {
                timeline.add(phase.kind, attempt.start + phase.start, attempt.start + phase.end, attempt.number)
            }
            timeline.add(.handover, attempt.end, attempt.end + attempt.handover, attempt.number)
        }
        for wait in pending { timeline.add(CallSegment.Kind(wait.cause), wait.start, wait.start + wait.duration, nil) }
        return timeline.finished(decoding: decoding)
    }
}

extension CallSegment.Kind {
    fileprivate init(_ cause: CallWait.Cause) {
        self =
            switch cause {
            case .dispatcher: .dispatcher
            case .hostLimit: .hostLimit
            case .rateLimit: .rateLimit
            case .retry: .retry
            case .token: .token
            case .collapsed: .collapsed
            case .cache: .cache
            case .work: .work
            }
    }
}

extension PhaseTimings {
    /// When each phase ended, in order, up to the first byte of the response.
    var ends: [(CallSegment.Kind, Duration)] {
        [
            (.setUp, started), (.resolve, resolved), (.connect, connected), (.tunnel, tunneled), (.secure, secured),
            (.prepare, ready), (.send, sent), (.server, firstByte),
        ]
    }
}

extension CallAttempt {
    /// The phases of the exchange, from its start. The phase in which it failed lasts until its end.
    package var phases: [(kind: CallSegment.Kind, start: Duration, end: Duration)] {
        var phases: [(kind: CallSegment.Kind, start: Duration, end: Duration)] = []
        var now = Duration.zero
        func add(_ kind: CallSegment.Kind, until end: Duration) {
            guard end > now else { return }
            phases.append((kind, now, end))
            now = end
        }
        for (kind, end) in timings.ends { add(kind, until: end) }
        add(lastPhase, until: timings.complete - timings.contentDecoding)
        add(.contentDecoding, until: timings.complete)
        add(.finish, until: timings.finished)
        return phases
    }

    /// The phase in which it ended.
    private var lastPhase: CallSegment.Kind {
        guard case .failed(let phase, _) = outcome else { return timings.firstByte > .zero ? .receive : .server }
        return switch phase {
        case .resolving: .resolve
        case .connecting: .connect
        case .securing: .secure
        case .sending: .send
        case .waiting: .server
        case .receiving: .receive
        case .starting: .setUp
        case .queued, .betweenAttempts, .authorizing, .collapsed: .other
        }
    }
}

/// Arranges segments one after the other, and fills the gaps.
private struct Timeline {
    let total: Duration
    private var segments: [CallSegment] = []
    private var now = Duration.zero

    init(total: Duration) { self.total = total }

    mutating func add(_ kind: CallSegment.Kind, _ start: Duration, _ end: Duration, _ attempt: Int?) {
        let (start, end) = (max(start, now), min(end, total))
        guard end > start else { return }
        fill(until: start)
        append(kind, until: end, attempt)
    }

    private mutating func fill(until end: Duration) {
        if end > now { append(.other, until: end, nil) }
    }

    private mutating func append(_ kind: CallSegment.Kind, until end: Duration, _ attempt: Int?) {
        segments.append(CallSegment(kind: kind, start: now, duration: end - now, attempt: attempt))
        now = end
    }

    mutating func finished(decoding: Duration) -> [CallSegment] {
        fill(until: total)
        if decoding > .zero { append(.decode, until: total + decoding, nil) }
        return segments
    }
}

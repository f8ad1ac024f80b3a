/// A stretch of a call's time with one name. Those of a call do not overlap, and add up to its whole.
public struct CallPart: Sendable, Hashable, Codable {
    public enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case rateLimit, backoff, token
        /// The host name was resolved.
        case resolve
        /// The TCP connection came about.
        case connect
        /// The TLS handshake.
        case secure
        /// Until the request could be sent: a tunnel through a proxy, or a free place on a connection.
        case prepare
        case send
        /// The request was sent, and the server worked.
        case server
        case receive
        /// None of these: interceptors of your own, and what this process does itself.
        case rest
    }

    public let kind: Kind
    /// Since the start of the call.
    public let start: Duration
    public let duration: Duration
    /// Which of `CallHistory.attempts` it is of; nil for none.
    public let attempt: Int?
}

extension CallHistory {
    /// The parts of `total`, in order. Clocks of engines differ by microseconds: what would overlap is cut.
    public var parts: [CallPart] {
        var line = PartLine(total: total)
        var pending = waits.sorted { $0.start < $1.start }[...]
        for (index, attempt) in attempts.enumerated() {
            while let wait = pending.first, wait.start <= attempt.start {
                line.add(CallPart.Kind(wait.cause), from: wait.start, to: wait.start + wait.duration, nil)
                pending.removeFirst()
            }
            for (kind, start, end) in attempt.phases {
                line.add(kind, from: attempt.start + start, to: attempt.start + end, index)
            }
        }
        for wait in pending {
            line.add(CallPart.Kind(wait.cause), from: wait.start, to: wait.start + wait.duration, nil)
        }
        return line.finished()
    }

    /// How much of the whole a kind takes.
    func sum(_ kind: CallPart.Kind) -> Duration {
        parts.reduce(.zero) { $1.kind == kind ? $0 + $1.duration : $0 }
    }
}

extension CallPart.Kind {
    fileprivate init(_ cause: CallWait.Cause) {
        self =
            switch cause {
            case .rateLimit: .rateLimit
            case .backoff: .backoff
            case .token: .token
            }
    }
}

extension CallAttempt {
    /// The phases that took place, from the start of the exchange. What a failed one was in when it ended goes to its end.
    var phases: [(kind: CallPart.Kind, start: Duration, end: Duration)] {
        let ends: [(CallPart.Kind, Duration)] = [
            (.resolve, timings.resolved), (.connect, timings.connected), (.secure, timings.secured),
            (.prepare, timings.ready), (.send, timings.sent), (.server, timings.firstByte),
        ]
        var phases: [(kind: CallPart.Kind, start: Duration, end: Duration)] = []
        var now = Duration.zero
        for (kind, end) in ends where end > now {
            phases.append((kind, now, end))
            now = end
        }
        guard timings.complete > now else { return phases }
        phases.append((last, now, timings.complete))
        return phases
    }

    /// What it was in at its end.
    private var last: CallPart.Kind {
        guard case .failed(let phase, _) = outcome else { return timings.firstByte > .zero ? .receive : .server }
        return switch phase {
        case .resolving: .resolve
        case .connecting: .connect
        case .securing: .secure
        case .sending: .send
        case .waiting: .server
        case .receiving: .receive
        case .queued, .betweenAttempts, .authorizing, .starting: .rest
        }
    }
}

/// Lays parts one behind the other, with what is between them.
private struct PartLine {
    let total: Duration
    private var parts: [CallPart] = []
    private var now = Duration.zero

    init(total: Duration) { self.total = total }

    mutating func add(_ kind: CallPart.Kind, from start: Duration, to end: Duration, _ attempt: Int?) {
        let (start, end) = (max(start, now), min(end, total))
        guard end > start else { return }
        fill(to: start)
        parts.append(CallPart(kind: kind, start: start, duration: end - start, attempt: attempt))
        now = end
    }

    private mutating func fill(to end: Duration) {
        guard end > now else { return }
        parts.append(CallPart(kind: .rest, start: now, duration: end - now, attempt: nil))
        now = end
    }

    mutating func finished() -> [CallPart] {
        fill(to: total)
        return parts
    }
}

/// The queues of one limit, and the waiting in them.
final class RateLimiter: Sendable {
    private typealias Queue = RateQueue<Signal>

    /// From here on, queues that nobody needs any more are thrown away before another is made.
    private static let keptQueues = 256

    private let limit: RateLimit
    private let queues = Locked<[String: Queue]>([:])

    init(_ limit: RateLimit) { self.limit = limit }

    /// How many calls wait.
    var waiting: Int { queues.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    enum Admission {
        case atOnce
        case afterWait
        case refused(HTTPError)
    }

    /// Blocks until the call may be sent, or says why it may not.
    func admit(_ call: CallContext) -> Admission {
        if let problem = limit.problem {
            return .refused(.unsupported(Unsupported("a rate limit of \(limit)", problem)))
        }
        if let token = CancellationToken.current, token.isCancelled { return refused(call) }
        let key = limit.scope == .host ? HostName.canonical(call.request.url.host) : ""
        let signal = Signal()
        switch arrive(signal, key: key, call: call) {
        case .go: return .atOnce
        case .tooLate(let wait):
            let blockedBy = "the rate limit of \(limit) keeps it waiting for \(wait.text)"
            return .refused(call.timedOut(.queued, attempts: 0, blockedBy: blockedBy))
        case .wait(let id, let isFirst):
            if isFirst || call.clock.wait(for: signal, until: nil) == .signalled, goes(key: key, clock: call.clock) {
                return .afterWait
            }
            queues.withLock { $0[key]?.leave(id) }?.fire()
            return refused(call)
        }
    }

    private func refused(_ call: CallContext) -> Admission { .refused(call.cancelled(.queued, attempts: 0)) }

    private func arrive(_ signal: Signal, key: String, call: CallContext) -> Queue.Arrival {
        let deadline = call.deadline?.instant
        return queues.withLock { [limit] queues in
            let now = call.clock.now()
            if queues[key] == nil, queues.count >= Self.keptQueues {
                queues = queues.filter { !$0.value.isIdle(at: now) }
            }
            return queues[key, default: Queue(limit)].arrive(signal, at: now, deadline: deadline)
        }
    }

    /// Waits as the first in line and goes; false if the call was cancelled instead.
    private func goes(key: String, clock: CallClock) -> Bool {
        while true {
            switch queues.withLock({ $0[key, default: Queue(limit)].proceed(at: clock.now()) }) {
            case .go(let next):
                next?.fire()
                return true
            case .wait(let end):
                if clock.wait(until: end) == .cancelled { return false }
            }
        }
    }
}

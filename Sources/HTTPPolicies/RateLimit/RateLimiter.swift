import HTTPCore
import HTTPSupport

/// The queues of one limit, and their timers.
final class RateLimiter: Sendable {
    typealias Queue = RateQueue<PolicySignal>

    /// Above this number, unused queues are removed before another is made.
    private static let keptQueues = 256

    let limit: RateLimit
    private let queues = Locked<[String: Queue]>([:])

    init(_ limit: RateLimit) { self.limit = limit }

    /// The number of waiting calls.
    var waiting: Int { queues.withLock { $0.values.reduce(0) { $0 + $1.count } } }

    /// A place in a queue.
    struct Entry {
        fileprivate let key: String
        fileprivate let id: UInt64
        /// Fired when it is the first in line.
        let isFirst: PolicySignal
    }

    enum Arrival {
        /// The token is taken: send.
        case go
        /// Call `proceed` now and whenever resumed.
        case wait(Entry)
        /// It would wait this long, which is too long.
        case tooLate(Duration)
    }

    /// Joins the queue of the request's host, or the queue of all.
    func arrive(_ moment: PolicyMoment) -> Arrival {
        let key = limit.scope == .host ? HostName.canonical(moment.request.url.host) : ""
        return queues.withLock { [limit] queues in
            if queues[key] == nil, queues.count >= Self.keptQueues {
                queues = queues.filter { !$0.value.isIdle(at: moment.time) }
            }
            lazy var isFirst = PolicySignal()
            let arrival = queues[key, default: Queue(limit)]
                .arrive(isFirst, at: moment.time, deadline: moment.deadline?.point)
            return switch arrival {
            case .go: .go
            case .wait(let id): .wait(Entry(key: key, id: id, isFirst: isFirst))
            case .tooLate(let wait): .tooLate(wait)
            }
        }
    }

    /// Wakes the next one if the token is taken.
    func proceed(_ entry: Entry, at now: TimePoint) -> Queue.Turn {
        let turn = queues.withLock { [limit] in $0[entry.key, default: Queue(limit)].proceed(entry.id, at: now) }
        if case .go(let next?) = turn { next.fire() }
        return turn
    }

    /// Leaves the queue; the next one moves up.
    func leave(_ entry: Entry) { queues.withLock { $0[entry.key]?.leave(entry.id) }?.fire() }
}

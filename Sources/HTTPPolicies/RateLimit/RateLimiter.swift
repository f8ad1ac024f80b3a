import HTTPSupport

/// The queues of one limit, and their timers.
final class RateLimiter: Sendable {
    typealias Queue = RateQueue<PolicySignal>

    /// Up to this number, unused queues are kept.
    private static let keptQueues = 256

    let limit: RateLimit
    private let queues = Locked(Queues())

    private struct Queues {
        var byHost: [String: Queue] = [:]
        /// The number at which unused ones are looked for.
        var most = RateLimiter.keptQueues
    }

    init(_ limit: RateLimit) { self.limit = limit }

    /// The number of waiting calls.
    var waiting: Int { queues.withLock { $0.byHost.values.reduce(0) { $0 + $1.count } } }

    /// A place in a queue.
    struct Entry {
        fileprivate let key: String
        fileprivate let id: UInt64
        /// Fired when it is the first in line.
        let isFirst: PolicySignal
    }

    /// Joins the queue of the request's host, or the queue of all.
    func arrive(_ moment: PolicyMoment) -> RateArrival<Entry> {
        let key = limit.scope == .host ? HostName.canonical(moment.request.url.host) : ""
        return queues.withLock { [limit] queues in
            if queues.byHost[key] == nil, queues.byHost.count >= queues.most {
                queues.byHost = queues.byHost.filter { !$0.value.isIdle(at: moment.time) }
                // Of thousands in use, not all are looked at for each further one.
                queues.most = max(Self.keptQueues, queues.byHost.count * 2)
            }
            lazy var isFirst = PolicySignal()
            let arrival = queues.byHost[key, default: Queue(limit)]
                .arrive(isFirst, at: moment.time, deadline: moment.deadline?.point)
            return switch arrival {
            case .go: .go
            case .wait(let id): .wait(Entry(key: key, id: id, isFirst: isFirst))
            case .tooLate(let wait): .tooLate(wait)
            }
        }
    }

    /// Wakes the next one if the token is taken.
    func proceed(_ entry: Entry, _ moment: PolicyMoment) -> Queue.Turn {
        // In simulated time, the end of a wait behind others would advance the clock.
        let mayOvertake = moment.call.clock.isSystem
        let turn = queues.withLock { [limit] in
            $0.byHost[entry.key, default: Queue(limit)].proceed(entry.id, at: moment.time, mayOvertake: mayOvertake)
        }
        if case .go(let next?) = turn { next.fire() }
        return turn
    }

    /// Leaves the queue; the next one moves up.
    func leave(_ entry: Entry) { queues.withLock { $0.byHost[entry.key]?.leave(entry.id) }?.fire() }
}

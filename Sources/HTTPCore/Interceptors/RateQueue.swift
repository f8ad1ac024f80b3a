/// The waiters for the tokens of one bucket, first in, first out: decisions without a clock or a thread.
///
/// Only the first waits for a time; the others wait to become first, and each wakes the next. None overtakes another,
/// and one that gives up leaves its place to the next.
struct RateQueue<Waiter> {
    private var bucket: TokenBucket
    private var line: [(id: UInt64, waiter: Waiter)] = []
    private var nextID: UInt64 = 0

    init(_ limit: RateLimit) { bucket = TokenBucket(limit) }

    var count: Int { line.count }

    enum Arrival {
        /// There is a token, and it is taken.
        case go
        case wait(id: UInt64)
        /// Its turn would come after its time. So long would it wait.
        case tooLate(Duration)
    }

    mutating func arrive(_ waiter: Waiter, at now: TimePoint, deadline: TimePoint?) -> Arrival {
        let turn = bucket.readiness(at: now, after: line.count)
        if line.isEmpty, turn <= now {
            bucket.take(at: now)
            return .go
        }
        // It can only come sooner: when one in front gives up.
        if let deadline, turn >= deadline { return .tooLate(now.duration(to: turn)) }
        nextID += 1
        line.append((nextID, waiter))
        return .wait(id: nextID)
    }

    enum Turn {
        /// The token is taken; wake this one, which is now the first.
        case go(next: Waiter?)
        /// Until then as the first in line, or, with nil, until called.
        case wait(until: TimePoint?)
    }

    /// For one in line.
    mutating func proceed(_ id: UInt64, at now: TimePoint) -> Turn {
        guard line.first?.id == id else { return .wait(until: nil) }
        let turn = bucket.readiness(at: now)
        guard turn <= now else { return .wait(until: turn) }
        bucket.take(at: now)
        line.removeFirst()
        return .go(next: line.first?.waiter)
    }

    /// Removes one that gave up; returns the one that is first because of it.
    mutating func leave(_ id: UInt64) -> Waiter? {
        guard let place = line.firstIndex(where: { $0.id == id }) else { return nil }
        line.remove(at: place)
        return place == 0 ? line.first?.waiter : nil
    }

    /// Whether it is as good as new.
    func isIdle(at now: TimePoint) -> Bool { line.isEmpty && bucket.isFull(at: now) }
}

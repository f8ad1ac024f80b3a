import HTTPSupport

/// What is to be done for a call that has arrived at a limit.
enum RateArrival<Place> {
    /// A token was available and is taken: send.
    case go
    /// Wait in this place: call `proceed` now and whenever resumed.
    case wait(Place)
    /// Its turn would come after its deadline: it would wait this long.
    case tooLate(Duration)
}

/// The waiters for the tokens of one bucket, first in, first out. It decides without a clock or a thread.
///
/// The first waits for a time. The others wait to become first, and each wakes the next. One that gives up leaves its
/// place to the next. None overtakes another, unless those before it do not go although their time has come: requests of a
/// batch cannot while the thread of the batch makes another call, which would wait for its own thread.
struct RateQueue<Waiter> {
    /// How long a waiter whose own turn has come leaves it to those before it. A thread may wake that late.
    static var patience: Duration { .milliseconds(100) }

    private var bucket: TokenBucket
    private var line: [(id: UInt64, waiter: Waiter)] = []
    private var nextID: UInt64 = 0

    init(_ limit: RateLimit) { bucket = TokenBucket(limit) }

    var count: Int { line.count }

    mutating func arrive(
        _ waiter: @autoclosure () -> Waiter, at now: TimePoint, deadline: TimePoint?
    ) -> RateArrival<UInt64> {
        let turn = bucket.readiness(at: now, after: line.count)
        if line.isEmpty, turn <= now {
            bucket.take(at: now)
            return .go
        }
        // The turn can only come sooner, if a waiter in front gives up.
        if let deadline, turn >= deadline { return .tooLate(now.duration(to: turn)) }
        nextID += 1
        line.append((nextID, waiter()))
        return .wait(nextID)
    }

    enum Turn {
        /// The token is taken. Wake `next`, which is now the first.
        case go(next: Waiter?)
        /// Wait until then as the first in line.
        case wait(until: TimePoint)
        /// Wait until woken, or until then if there is a time.
        case waitBehind(until: TimePoint?)
    }

    /// The turn of a waiter in line.
    mutating func proceed(_ id: UInt64, at now: TimePoint, mayOvertake: Bool) -> Turn {
        guard line.first?.id == id else { return mayOvertake ? overtake(id, at: now) : .waitBehind(until: nil) }
        let turn = bucket.readiness(at: now)
        guard turn <= now else { return .wait(until: turn) }
        bucket.take(at: now)
        line.removeFirst()
        return .go(next: line.first?.waiter)
    }

    /// The turn of a waiter behind others. It takes a token, too, so the limit holds.
    private mutating func overtake(_ id: UInt64, at now: TimePoint) -> Turn {
        // One that has just arrived is the last.
        guard let place = line.lastIndex(where: { $0.id == id }), let turn = bucket.turn(after: place) else {
            return .waitBehind(until: nil)
        }
        let end = turn + Self.patience
        guard end <= now else { return .waitBehind(until: end) }
        bucket.take(at: now)
        line.remove(at: place)
        return .go(next: nil)
    }

    /// Removes a waiter that gave up. Returns the one that becomes first as a result.
    mutating func leave(_ id: UInt64) -> Waiter? {
        guard let place = line.firstIndex(where: { $0.id == id }) else { return nil }
        line.remove(at: place)
        return place == 0 ? line.first?.waiter : nil
    }

    /// Whether it equals a new queue.
    func isIdle(at now: TimePoint) -> Bool { line.isEmpty && bucket.isFull(at: now) }
}

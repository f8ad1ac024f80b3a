import HTTPCore

/// Whether somebody watches the clock, and until when they sleep.
struct Timekeeping {
    typealias Instant = TimePoint

    enum Signal: Sendable {
        /// Nobody watches: a thread has to.
        case start
        /// The one who does has to get up earlier than they meant to.
        case wake
    }

    private enum Keeper {
        case absent
        /// Looks at the timers before going to sleep.
        case awake
        case asleep(until: Instant?)
    }

    var timers = TimerHeap<TimerSubject>()
    private var keeper = Keeper.absent
    /// A thread was asked for and has not arrived. Asking for another would not be faster.
    private var isThreadComing = false

    /// What has to be done so that the earliest timer is seen to in time.
    mutating func signal() -> Signal? {
        guard let earliest = timers.earliest else { return nil }
        switch keeper {
        case .awake: return nil
        case .absent:
            guard !isThreadComing else { return nil }
            isThreadComing = true
            return .start
        case .asleep(let end):
            if let end, end <= earliest { return nil }
            keeper = .awake
            return .wake
        }
    }

    /// The keeper goes to sleep, until the instant returned; until it is woken if that is nil.
    mutating func sleep() -> Instant? {
        keeper = .asleep(until: timers.earliest)
        return timers.earliest
    }

    /// The keeper has slept long enough without a timer and wants to end; false if there is one now.
    mutating func retire() -> Bool {
        guard timers.earliest == nil else { return false }
        keeper = .absent
        return true
    }

    /// The keeper is going to be held up. Another has to watch, if there is something to watch for.
    mutating func leave() -> Signal? {
        keeper = .absent
        return signal()
    }

    /// The thread asked for is there. It watches; or it is not needed, because one who left was back first.
    mutating func arrive() -> Bool {
        isThreadComing = false
        return resume()
    }

    /// The thread asked for will not come.
    mutating func refuseThread() { isThreadComing = false }

    /// One who left wants to go on; false if there is another by now.
    mutating func resume() -> Bool {
        guard case .absent = keeper else { return false }
        keeper = .awake
        return true
    }
}

import HTTPCore

/// Which calls are to be looked at when, the earliest first. What has become pointless is left in until it comes up, or
/// until most of the heap is.
struct TimerHeap {
    typealias Instant = TimePoint

    struct Timer: Sendable {
        let instant: Instant
        let ticket: Ticket
    }

    private var timers: [Timer] = []

    var count: Int { timers.count }
    var earliest: Instant? { timers.first?.instant }

    mutating func insert(_ timer: Timer) {
        timers.append(timer)
        var place = timers.count - 1
        while place > 0, timers[place].instant < timers[(place - 1) / 2].instant {
            timers.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Takes out the earliest if it is not after `now`.
    mutating func popDue(at now: Instant) -> Timer? {
        guard let first = timers.first, first.instant <= now else { return nil }
        timers.swapAt(0, timers.count - 1)
        timers.removeLast()
        sink(from: 0)
        return first
    }

    mutating func keep(_ isWanted: (Timer) -> Bool) {
        timers.removeAll { !isWanted($0) }
        for place in stride(from: timers.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
    }

    private mutating func sink(from start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < timers.count {
                if timers[child].instant < timers[least].instant { least = child }
            }
            guard least != place else { return }
            timers.swapAt(place, least)
            place = least
        }
    }
}

/// Items ordered by due time; items with equal times keep their order of insertion. Obsolete items stay until they come
/// up, or until they are the majority.
package struct TimerHeap<Subject> {
    package struct Timer {
        package let instant: TimePoint
        package let subject: Subject
        fileprivate var number = 0

        package init(instant: TimePoint, _ subject: Subject) {
            self.instant = instant
            self.subject = subject
        }

        fileprivate static func < (lhs: Timer, rhs: Timer) -> Bool {
            lhs.instant == rhs.instant ? lhs.number < rhs.number : lhs.instant < rhs.instant
        }
    }

    private var timers: [Timer] = []
    private var lastNumber = 0

    package init() {}

    package var count: Int { timers.count }
    package var earliest: TimePoint? { timers.first?.instant }

    package mutating func insert(_ timer: Timer) {
        lastNumber += 1
        timers.append(timer)
        var place = timers.count - 1
        timers[place].number = lastNumber
        while place > 0, timers[place] < timers[(place - 1) / 2] {
            timers.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }

    /// Removes the earliest item if it is due by `now`.
    package mutating func popDue(at now: TimePoint) -> Timer? {
        guard let first = timers.first, first.instant <= now else { return nil }
        timers.swapAt(0, timers.count - 1)
        timers.removeLast()
        sink(from: 0)
        return first
    }

    package mutating func keep(_ isWanted: (Timer) -> Bool) {
        timers.removeAll { !isWanted($0) }
        for place in stride(from: timers.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
    }

    private mutating func sink(from start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < timers.count {
                if timers[child] < timers[least] { least = child }
            }
            guard least != place else { return }
            timers.swapAt(place, least)
            place = least
        }
    }
}

extension TimerHeap: Sendable where Subject: Sendable {}
extension TimerHeap.Timer: Sendable where Subject: Sendable {}

/// Items ordered by due time; items with equal times keep their order of insertion. Obsolete items stay until they come
/// up, or until they are the majority. Inlinable: other modules would run the generic code, which takes ten times as long.
@usableFromInline package struct TimerHeap<Subject> {
    @usableFromInline package struct Timer {
        @usableFromInline package let instant: TimePoint
        @usableFromInline package let subject: Subject
        @usableFromInline var number = 0

        @inlinable
        package init(instant: TimePoint, _ subject: Subject) {
            self.instant = instant
            self.subject = subject
        }

        @inlinable
        static func < (lhs: Timer, rhs: Timer) -> Bool {
            lhs.instant == rhs.instant ? lhs.number < rhs.number : lhs.instant < rhs.instant
        }
    }

    @usableFromInline var timers: [Timer] = []
    @usableFromInline var lastNumber = 0

    @inlinable
    package init() {}

    @inlinable
    package var count: Int { timers.count }

    @inlinable
    package func contains(where isMatch: (Timer) -> Bool) -> Bool { timers.contains(where: isMatch) }

    @inlinable
    package var earliest: TimePoint? { timers.first?.instant }

    @inlinable
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
    @inlinable
    package mutating func popDue(at now: TimePoint) -> Timer? {
        guard let first = timers.first, first.instant <= now else { return nil }
        timers.swapAt(0, timers.count - 1)
        timers.removeLast()
        sink(from: 0)
        return first
    }

    /// Removes the items that are not wanted, and returns them: whoever holds a lock releases it before them. What they refer to
    /// may need that lock when it goes.
    @inlinable
    package mutating func keep(_ isWanted: (Timer) -> Bool) -> [Timer] {
        let end = timers.partition { !isWanted($0) }
        let removed = Array(timers[end...])
        timers.removeSubrange(end...)
        for place in stride(from: timers.count / 2 - 1, through: 0, by: -1) { sink(from: place) }
        return removed
    }

    @inlinable
    mutating func sink(from start: Int) {
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

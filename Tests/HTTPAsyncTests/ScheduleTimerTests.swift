import HTTPSupport
import HTTPCore
import Testing

@testable import HTTPAsync

/// Which timers are removed, and which must not be.
@Suite struct ScheduleTimerTests {
    private let start = TimePoint.now

    @Test func `a cancelled call is given up in time, however many timers are thrown away meanwhile`() throws {
        var schedule = TestSchedule(running: 2)
        let stuck = try #require(schedule.submit("stuck").ticket)
        var other = schedule.submit("other").ticket
        #expect(schedule.cancel(stuck, at: start) == nil)
        for _ in 0..<1000 {
            _ = schedule.submit("next", deadline: start + .seconds(60))
            other = other.flatMap { schedule.finish($0, on: 1) }?.ticket
        }
        #expect(other != nil && schedule.timekeeping.timers.count < 100)
        guard case .abandoned("stuck") = schedule.takeOverdue(at: start + .milliseconds(100)) else {
            return #expect(Bool(false), "the timer of the cancelled call was thrown away")
        }
        let next = schedule.takeOverdue(at: start + .milliseconds(100))
        #expect(next?.job == nil)
    }

    @Test func `a call that waits keeps its deadline, however many timers are thrown away meanwhile`() throws {
        var schedule = TestSchedule(running: 1)
        _ = schedule.submit("running")
        _ = schedule.submit("waiting", deadline: start + .seconds(1))
        for _ in 0..<1000 {
            let admission = schedule.submit("next", deadline: start + .seconds(60))
            #expect(schedule.cancel(try #require(admission.ticket), at: start) == "next")
        }
        #expect(schedule.timekeeping.timers.count < 100)
        guard case .expired("waiting") = schedule.takeOverdue(at: start + .seconds(1)) else {
            return #expect(Bool(false), "the timer of the waiting call was thrown away")
        }
    }

    @Test func `the first of two that are kept is the earlier one`() {
        var heap = TimerHeap<TimerSubject>()
        for milliseconds in [1, 5, 2] {
            let ticket = Ticket(place: Int32(milliseconds), generation: 1)
            heap.insert(TimerHeap<TimerSubject>.Timer(instant: start + .milliseconds(milliseconds), .call(ticket)))
        }
        _ = heap.keep { $0.place != 1 }
        #expect(heap.earliest == start + .milliseconds(2))
        let first = heap.popDue(at: start + .seconds(1))
        #expect(first?.place == 2)
    }

    @Test(arguments: 1...40)
    func `what is kept comes up in the order of its time`(count: Int) {
        var heap = TimerHeap<TimerSubject>()
        // The latest come first, and those in between are removed.
        for number in (0..<2 * count).reversed() {
            let ticket = Ticket(place: Int32(number), generation: 1)
            heap.insert(TimerHeap<TimerSubject>.Timer(instant: start + .milliseconds(number * 7 % 31), .call(ticket)))
        }
        _ = heap.keep { ($0.place ?? 1) % 2 == 0 }
        #expect(heap.count == count)
        var instants: [TimePoint] = []
        while let timer = heap.popDue(at: start + .seconds(1)) { instants.append(timer.instant) }
        #expect(instants.count == count && instants == instants.sorted())
    }
}

extension TimerHeap<TimerSubject>.Timer {
    /// The index of its call.
    fileprivate var place: Int32? { if case .call(let ticket) = subject { ticket.place } else { nil } }
}

extension Schedule.Overdue {
    fileprivate var job: Job? {
        switch self {
        case .expired(let job), .abandoned(let job): job
        case .due: nil
        }
    }
}

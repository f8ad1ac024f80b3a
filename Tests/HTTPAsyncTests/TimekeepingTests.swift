import HTTPCore
import Testing

@testable import HTTPAsync

@Suite struct TimekeepingTests {
    let start = TimePoint.now
    let ticket = Ticket(place: 0, generation: 1)

    private func timer(after seconds: Int) -> TimerHeap<TimerSubject>.Timer {
        TimerHeap<TimerSubject>.Timer(instant: start + .seconds(seconds), .call(ticket))
    }

    @Test func `timers come up in the order of their time`() {
        var heap = TimerHeap<TimerSubject>()
        for seconds in [5, 3, 8, 1, 9, 2, 7, 4, 6] { heap.insert(timer(after: seconds)) }
        heap.keep { $0.instant != start + .seconds(5) }
        var order: [Int] = []
        while let timer = heap.popDue(at: start + .seconds(8)) {
            order.append(Int(start.duration(to: timer.instant) / .seconds(1)))
        }
        #expect(order == [1, 2, 3, 4, 6, 7, 8])
        #expect(heap.count == 1)
    }

    @Test func `nobody is called without a timer`() {
        var timekeeping = Timekeeping()
        #expect(timekeeping.signal() == nil)
    }

    @Test func `a keeper is started once, and woken only for what comes before it means to get up`() {
        var timekeeping = Timekeeping()
        timekeeping.timers.insert(timer(after: 5))
        #expect(timekeeping.signal() == .start)
        #expect(timekeeping.signal() == nil)
        #expect(timekeeping.arrive() == true)
        #expect(timekeeping.signal() == nil)
        #expect(timekeeping.sleep() == start + .seconds(5))
        timekeeping.timers.insert(timer(after: 6))
        #expect(timekeeping.signal() == nil)
        timekeeping.timers.insert(timer(after: 4))
        #expect(timekeeping.signal() == .wake)
        #expect(timekeeping.signal() == nil)
    }

    @Test func `a keeper that is held up is replaced, and goes on only if it was not`() {
        var timekeeping = Timekeeping()
        timekeeping.timers.insert(timer(after: 5))
        #expect(timekeeping.signal() == .start)
        #expect(timekeeping.arrive() == true)
        #expect(timekeeping.leave() == .start)
        #expect(timekeeping.arrive() == true)
        #expect(timekeeping.resume() == false)
        #expect(timekeeping.retire() == false)
        _ = timekeeping.timers.popDue(at: start + .seconds(5))
        #expect(timekeeping.retire() == true)
        #expect(timekeeping.resume() == true)
    }

    @Test func `a keeper that is back first goes on, and no second thread is asked for`() {
        var timekeeping = Timekeeping()
        timekeeping.timers.insert(timer(after: 5))
        _ = timekeeping.signal()
        _ = timekeeping.arrive()
        #expect(timekeeping.leave() == .start)
        #expect(timekeeping.resume() == true)
        #expect(timekeeping.leave() == nil)
        #expect(timekeeping.signal() == nil)
        #expect(timekeeping.resume() == true)
        #expect(timekeeping.arrive() == false)
        #expect(timekeeping.leave() == .start)
    }

    @Test func `a thread that was refused is asked for again`() {
        var timekeeping = Timekeeping()
        timekeeping.timers.insert(timer(after: 5))
        #expect(timekeeping.signal() == .start)
        timekeeping.refuseThread()
        #expect(timekeeping.signal() == .start)
    }
}

import HTTPSupport
import HTTPCore
import Testing

@testable import HTTPAsync

@Suite struct TimekeepingTests {
    let start = TimePoint.now
    let ticket = Ticket(place: 0, generation: 1)

    private func timer(after seconds: Int) -> TimerHeap<TimerSubject>.Timer {
        TimerHeap<TimerSubject>.Timer(instant: start + .seconds(seconds), .call(ticket))
    }

    @Test func `timers fire in the order of their times`() {
        var heap = TimerHeap<TimerSubject>()
        for seconds in [5, 3, 8, 1, 9, 2, 7, 4, 6] { heap.insert(timer(after: seconds)) }
        _ = heap.keep { $0.instant != start + .seconds(5) }
        var order: [Int] = []
        while let timer = heap.popDue(at: start + .seconds(8)) {
            order.append(Int(start.duration(to: timer.instant) / .seconds(1)))
        }
        #expect(order == [1, 2, 3, 4, 6, 7, 8])
        #expect(heap.count == 1)
    }

    @Test func `without a timer no thread is needed`() {
        var timekeeping = Timekeeping()
        #expect(timekeeping.signal() == nil)
    }

    @Test func `a timer thread is started once, and woken only for a timer before its next one`() {
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

    @Test func `a blocked timer thread is replaced, and continues only if it was not`() {
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

    @Test func `a timer thread that returns first continues, and no second thread is requested`() {
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

    @Test func `a refused thread is requested again`() {
        var timekeeping = Timekeeping()
        timekeeping.timers.insert(timer(after: 5))
        #expect(timekeeping.signal() == .start)
        #expect(timekeeping.refuseThread() == true)
        #expect(timekeeping.signal() == .start)
    }
}

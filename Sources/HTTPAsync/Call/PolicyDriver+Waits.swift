import HTTPSupport
import Synchronization

/// The waits of the call's policies, and the time limit of their work.
extension PolicyDriver {
    func begin(_ wait: PolicyWait, _ number: Int, _ course: inout Course) {
        if isCancelled { return advance(on: .cancelled) }
        if wait.signal?.isFired == true { return advance(on: .done(number)) }
        course.isCounted = pool.addWaiter()
        guard course.isCounted else {
            return advance(on: .refused { [pool] in pool.refusal(of: $0.request, $1, .queueFull) })
        }
        current.store(number, ordering: .relaxed)
        course.subscription = wait.signal?.subscribe { [self] in
            // Not on this thread: it may be running another call's policy, and that call's would be next.
            if !set(.done(number), number, for: .now) { advance(on: .done(number)) }
        }
        guard let end = wait.last, !set(.timeUp(number), number, for: end) else { return }
        advance(on: .refused { [pool] in pool.refusal(of: $0.request, $1) })
    }

    func endPause(_ course: inout Course) {
        current.store(0, ordering: .relaxed)
        course.subscription.take()?.cancel()
        if course.isCounted { pool.removeWaiter() }
        course.isCounted = false
    }

    /// On a thread that drives a loop, that loop keeps the time: nothing has to be handed over when it has come.
    func set(_ event: PolicyCourse.Event, _ number: Int, for end: TimePoint) -> Bool {
        let timer = PolicyTimer(event, number, self)
        guard let agent = ThreadRole.agent else { return pool.set(timer, for: end) }
        agent.set(timer, for: end)
        return true
    }
}

/// Reports the end of one wait or work, on the thread that keeps the time.
private final class PolicyTimer: Alarm {
    private let event: PolicyCourse.Event
    private let number: Int
    private let driver: PolicyDriver

    init(_ event: PolicyCourse.Event, _ number: Int, _ driver: PolicyDriver) {
        (self.event, self.number, self.driver) = (event, number, driver)
    }

    var isPending: Bool { driver.current.load(ordering: .relaxed) == number }

    func fire() { driver.advance(on: event) }
}

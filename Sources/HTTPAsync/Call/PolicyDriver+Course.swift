import HTTPCore
import HTTPSupport
import Synchronization

/// What happens to the call, and what its policies want done.
///
/// The thread on which something ends continues with the policies: that of the exchange, the timer or the work, or the one
/// that cancels the call. If another one is with the policies already, it leaves the event to that.
extension PolicyDriver {
    func advance(on event: consuming PolicyCourse.Event) {
        let course = state.withLock { state -> Course? in
            if case .answered = event { state.exchange = nil }
            if state.course == nil { state.events.append(copy event) }
            return state.course.take()
        }
        if let course = consume course { follow(course, on: event) }
    }

    /// Until it waits for something, or is over.
    func follow(_ course: consuming Course, on event: consuming PolicyCourse.Event) {
        while true {
            if let effect = course.policies.advance(on: consume event) {
                endPause(&course)
                guard perform(effect, &course) else { return }
            }
            var rest = Optional(consume course)
            let next = state.withLock { state -> PolicyCourse.Event? in
                guard state.events.isEmpty else { return state.events.removeFirst() }
                state.course = rest.take()
                return nil
            }
            guard let next, let own = rest.take() else { return }
            (course, event) = (own, next)
        }
    }

    /// False at the end.
    private func perform(_ effect: consuming PolicyRun.Effect, _ course: inout Course) -> Bool {
        let number = course.policies.number
        switch consume effect {
        case .send(let request, let deadline): send(request, deadline, course.priority)
        case .wait(let wait): begin(wait, number, &course)
        case .run(let work, let deadline):
            current.store(number, ordering: .relaxed)
            let run = { @Sendable [self] in
                work.run()
                advance(on: .done(number))
            }
            if work.isOnDisk { pool.callbacks.runOnDisk(run) } else { pool.callbacks.runAtOnce(run) }
            if let deadline { _ = set(.timeUp(number), number, for: deadline) }
            if isCancelled { advance(on: .cancelled) }
        case .sendInBackground(let request, let policies):
            sendInBackground(request, policies)
            advance(on: .done(number))
        case .finish(let outcome):
            course.call.report(outcome)
            return false
        }
        return true
    }

    private func begin(_ wait: PolicyWait, _ number: Int, _ course: inout Course) {
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

    private func endPause(_ course: inout Course) {
        current.store(0, ordering: .relaxed)
        course.subscription.take()?.cancel()
        if course.isCounted { pool.removeWaiter() }
        course.isCounted = false
    }

    /// On a thread that drives a loop, that loop keeps the time: nothing has to be handed over when it has come.
    private func set(_ event: PolicyCourse.Event, _ number: Int, for end: TimePoint) -> Bool {
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

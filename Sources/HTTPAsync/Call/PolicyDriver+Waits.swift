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
        if let signal = wait.signal { subscribe(to: signal, number, &course) }
        if let end = wait.last { limit(number, by: end, &course) }
    }

    /// The loop of another executor, whose tasks may fire the signal, is not for this call: they may block its thread.
    private func subscribe(to signal: PolicySignal, _ number: Int, _ course: inout Course) {
        let home = ThreadRole.agent ?? client.engine?.callAgent
        course.subscription = signal.subscribe { [self] in
            // Not on this thread: it may be running another call's policy, and that call's would be next.
            let timer = PolicyTimer(.done(number), self)
            if ThreadRole.agent === home { set(timer, for: .now) } else { pool.set(timer, for: .now) }
        }
    }

    /// Ends the wait or the work of that number then.
    func limit(_ number: Int, by end: TimePoint, _ course: inout Course) {
        let timer = PolicyTimer(.timeUp(number), self)
        course.timer = timer
        set(timer, for: end)
    }

    func endPause(_ course: inout Course) {
        course.timer.take()?.drop()
        course.subscription.take()?.cancel()
        if course.isCounted { pool.removeWaiter() }
        course.isCounted = false
    }

    /// On a thread that drives a loop, that loop keeps the time: nothing has to be handed over when it has come.
    private func set(_ timer: PolicyTimer, for end: TimePoint) {
        if let agent = ThreadRole.agent { agent.set(timer, for: end) } else { pool.set(timer, for: end) }
    }
}

/// Reports the end of one wait or work, on the thread that keeps the time.
final class PolicyTimer: Alarm {
    private let event: PolicyCourse.Event
    /// Nil once nobody waits. The timer may be kept until its time, and would keep the client and the dispatcher.
    private let driver: Locked<PolicyDriver?>

    init(_ event: PolicyCourse.Event, _ driver: PolicyDriver) { (self.event, self.driver) = (event, Locked(driver)) }

    var isPending: Bool { driver.withLock { $0 != nil } }

    func fire() { drop()?.advance(on: event) }

    func refuse() {
        guard case .timeUp = event else { return fire() }
        guard let driver = drop() else { return }
        driver.advance(on: .refused { [pool = driver.pool] in pool.refusal(of: $0.request, $1) })
    }

    @discardableResult
    func drop() -> PolicyDriver? { driver.withLock { $0.take() } }
}

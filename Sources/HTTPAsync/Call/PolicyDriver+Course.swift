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
        case .send(let request, let deadline): send(request, deadline, &course)
        case .wait(let wait): begin(wait, number, &course)
        case .run(let work, let deadline):
            let run = { @Sendable [self] in
                work.run()
                advance(on: .done(number))
            }
            if work.isOnDisk { pool.callbacks.runOnDisk(run) } else { pool.callbacks.runAtOnce(run) }
            if let deadline { limit(number, by: deadline, &course) }
            if isCancelled { advance(on: .cancelled) }
        case .sendInBackground(let request, let policies):
            // A separate call: neither the token nor the deadline around this one applies.
            DetachedClient.run {
                let call = dispatcher.call(PolicyClient(policies, in: client), request)
                dispatcher.start(call, priority: .low, token: nil)
            }
            advance(on: .done(number))
        case .finish(let outcome):
            course.call.report(outcome)
            return false
        }
        return true
    }

    private func send(_ request: Request, _ deadline: CallDeadline?, _ course: inout Course) {
        let exchange = dispatcher.exchange(request, below: client, within: deadline, for: self)
        let (isLeft, isCancelled, raised) = state.withLock { state in
            state.exchange = exchange
            return (state.isLeft, state.isCancelled, state.raised)
        }
        if isLeft { exchange.noteLeft() }
        if isCancelled { exchange.interrupt() }
        let (priority, continues) = (max(course.priority, raised), course.hasSent)
        course.hasSent = true
        guard let values = course.values else {
            return exchange.pool.submit(exchange, priority: priority, continues: continues)
        }
        // After a wait this is a thread of the pool.
        (exchange.work.driver as? TaskDriver)?.prefer(values.executor)
        values.run { exchange.pool.submit(exchange, priority: priority, continues: continues) }
    }
}

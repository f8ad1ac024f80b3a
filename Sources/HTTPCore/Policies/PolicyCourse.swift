import HTTPSupport

/// What a policy waits for.
///
/// Time and deadline are separate for simulated time, which advances at once when a policy waits for a time, and not at all
/// when it waits for another call or for its deadline.
package struct PolicyWait: Sendable {
    package let cause: CallActivity
    /// What another call fires, if it waits for one.
    package let signal: PolicySignal?
    /// Until when, if there is a time.
    package let end: TimePoint?
    /// When the call's time is up, if it has a limit.
    package let deadline: TimePoint?

    /// When the wait is over at the latest, for a driver by the system's clock.
    package var last: TimePoint? {
        guard let end, let deadline else { return end ?? deadline }
        return min(end, deadline)
    }
}

/// A call on its way through its policies, as a driver sees it: it is told what happened, and says what is done.
///
/// It alone knows what is awaited. A timer that comes late, a signal after the wait, an answer or a cancellation that comes
/// twice are nothing to it, so a driver may report what it likes, from one thread at a time.
package struct PolicyCourse: Sendable {
    package enum Event: Sendable {
        case started(Request)
        /// The outcome of the exchange.
        case answered(Result<Response, HTTPError>)
        /// The signal of the wait with this number was fired, or the work is done.
        case done(Int)
        /// The time of the wait with this number has come, or the deadline during the work.
        case timeUp(Int)
        /// The call was cancelled.
        case cancelled
        /// It may not wait, for this reason.
        case refused(@Sendable (PolicyMoment, CallActivity) -> HTTPError)
    }

    private enum Stage: Sendable {
        case beginning
        case exchange
        case wait(hasTime: Bool)
        case work
        case over
    }

    private var run: PolicyRun
    private var stage = Stage.beginning
    /// The number of the current wait or work. It names it in an event.
    package private(set) var number = 0

    package init(_ policies: [any CallPolicy], _ call: any PolicyCall) { run = PolicyRun(policies, call) }

    /// Nil if the event changes nothing.
    package mutating func advance(on event: consuming Event) -> PolicyRun.Effect? {
        switch consume event {
        case .started(let request):
            guard case .beginning = stage else { return nil }
            return enter(run.start(request))
        case .answered(let outcome):
            guard case .exchange = stage else { return nil }
            return enter(run.answer(outcome))
        case .done(let number):
            return isPaused && number == self.number ? enter(run.resume()) : nil
        case .timeUp(let number):
            guard number == self.number else { return nil }
            return switch stage {
            case .wait(hasTime: true): enter(run.resume())
            case .wait(hasTime: false): enter(run.abandon())
            case .work: enter(run.expire())
            case .beginning, .exchange, .over: nil
            }
        case .cancelled:
            return isPaused ? enter(run.interrupt()) : nil
        case .refused(let error):
            return isPaused ? enter(run.interrupt(with: error)) : nil
        }
    }

    private var isPaused: Bool {
        switch stage {
        case .wait, .work: true
        case .beginning, .exchange, .over: false
        }
    }

    private mutating func enter(_ effect: consuming PolicyRun.Effect) -> PolicyRun.Effect {
        switch effect {
        case .send: stage = .exchange
        case .wait(let wait): (stage, number) = (.wait(hasTime: wait.last != nil), number + 1)
        case .run, .sendInBackground: (stage, number) = (.work, number + 1)
        case .finish: stage = .over
        }
        return effect
    }
}

import HTTPSupport
import Synchronization

/// Receives the events of one call. `.observing` and `.trace` make one for each call; its request carries it, so that inner
/// policies and the transport can report to it. Closures run on the reporting thread.
package final class CallObserver: Sendable {
    package let id: CallID
    /// The outer observer, which is notified first.
    private let outer: CallObserver?
    private let observe: @Sendable (CallEvent) -> Void
    /// Nil if this observer does not trace the call.
    private let trace: Trace?
    /// The number of exchanges begun; the outermost observer counts them.
    private let attempts = Atomic(0)

    /// What whoever traces a call gives its exchanges.
    package struct Trace: Sendable {
        let context: TraceContext
        /// Begins the exchange of this number, and returns the context that it sends.
        let beginAttempt: @Sendable (Int) -> TraceContext

        package init(_ context: TraceContext, beginAttempt: @escaping @Sendable (Int) -> TraceContext) {
            (self.context, self.beginAttempt) = (context, beginAttempt)
        }
    }

    package init(outer: CallObserver?, trace: Trace? = nil, _ observe: @escaping @Sendable (CallEvent) -> Void) {
        id = outer?.id ?? .next()
        self.outer = outer
        self.trace = trace
        self.observe = observe
    }

    func tell(_ event: @autoclosure () -> CallEvent) {
        let event = event()
        outer?.tell(event)
        observe(event)
    }

    fileprivate func nextAttempt() -> Int { outer?.nextAttempt() ?? attempts.add(1, ordering: .relaxed).newValue }

    fileprivate var innermostTrace: Trace? { trace ?? outer?.innermostTrace }

    /// The context of the innermost trace; nil if the call is not traced.
    package var traceContext: TraceContext? { innermostTrace?.context }

    /// Reports the start of another exchange.
    package func beginAttempt() -> AttemptObserver { AttemptObserver(self, number: nextAttempt()) }
}

package enum ObserverKey: NotingKey { package static let defaultValue: CallObserver? = nil }

extension Request {
    /// The observer of the call; nil for none.
    package var observer: CallObserver? { self[ObserverKey.self] }

    package func observed(by observer: CallObserver) -> Request { setting(ObserverKey.self, to: observer) }
}

/// Receives the events of one exchange. Used by one thread at a time.
package final class AttemptObserver: Sendable {
    private let call: CallObserver
    private let id: AttemptID
    /// The context that its request carries; nil if it is not traced.
    package let context: TraceContext?
    /// The end of the last phase that was reported, in nanoseconds since its start.
    private let told = Atomic<Int64>(0)

    fileprivate init(_ call: CallObserver, number: Int) {
        self.call = call
        id = AttemptID(call: call.id, number: number)
        context = call.innermostTrace?.beginAttempt(number)
    }

    package func started(_ request: Request) { call.tell(.attemptStarted(request, id: id)) }

    /// Reports the phases that have ended since the last report.
    package func tellPhases(_ timings: PhaseTimings) {
        for (kind, end) in timings.ends { tell(kind, until: end) }
    }

    package func finished(_ attempt: CallAttempt) {
        for phase in attempt.phases { tell(phase.activity, until: phase.end) }
        var attempt = attempt
        attempt.number = id.number
        call.tell(.attemptFinished(attempt, id: id))
    }

    private func tell(_ activity: CallActivity, until end: Duration) {
        let end = TimeSpan(end).nanoseconds
        let start = told.load(ordering: .relaxed)
        guard end > start else { return }
        told.store(end, ordering: .relaxed)
        let segment = CallSegment(
            activity: activity, start: .nanoseconds(start), duration: .nanoseconds(end - start), attempt: id.number)
        call.tell(.phaseFinished(segment, id: id))
    }
}

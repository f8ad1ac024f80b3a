import Synchronization

/// Who is told what one call does while it does it. Made for each call by `.events` or `.trace` and carried by its request,
/// so that whatever sends that, the policies within and the transport, can tell it. Closures run on the thread that does.
package final class CallObserver: Sendable {
    package let id: CallID
    /// The one farther out, which is told as well, first.
    private let outer: CallObserver?
    private let observe: @Sendable (CallEvent) -> Void
    /// Nil where the call is not traced by this one.
    private let trace: CallTrace?
    /// Exchanges begun. That of the outermost counts.
    private let attempts = Atomic(0)

    init(outer: CallObserver?, trace: CallTrace? = nil, _ observe: @escaping @Sendable (CallEvent) -> Void) {
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

    fileprivate func nextAttempt() -> Int {
        outer?.nextAttempt() ?? attempts.add(1, ordering: .relaxed).newValue
    }

    /// The innermost.
    fileprivate var innermostTrace: CallTrace? { trace ?? outer?.innermostTrace }

    /// That of the innermost trace's call; nil where nobody traces it.
    var traceContext: TraceContext? { innermostTrace?.context }

    /// One more exchange begins.
    func beginAttempt() -> AttemptObserver { AttemptObserver(self, number: nextAttempt()) }
}

/// Who is told about one exchange. Used by one thread at a time.
package final class AttemptObserver: Sendable {
    private let call: CallObserver
    private let id: AttemptID
    /// The context that its request carries; nil where it is not traced.
    let context: TraceContext?
    /// Up to where its phases were told, in nanoseconds since its start.
    private let told = Atomic<Int64>(0)

    fileprivate init(_ call: CallObserver, number: Int) {
        self.call = call
        id = AttemptID(call: call.id, number: number)
        context = call.innermostTrace?.beginAttempt(number)
    }

    func started(_ request: Request) { call.tell(.attemptStarted(request, id: id)) }

    /// Tells the phases that are over by now and were not told before.
    package func tellPhases(_ timings: PhaseTimings) {
        for (kind, end) in timings.ends { tell(kind, until: end) }
    }

    func finished(_ attempt: CallAttempt) {
        for phase in attempt.phases { tell(phase.kind, until: phase.end) }
        var attempt = attempt
        attempt.number = id.number
        call.tell(.attemptFinished(attempt, id: id))
    }

    private func tell(_ kind: CallSegment.Kind, until end: Duration) {
        let end = TimeSpan(end).nanoseconds
        let start = told.load(ordering: .relaxed)
        guard end > start else { return }
        told.store(end, ordering: .relaxed)
        let segment = CallSegment(
            kind: kind, start: .nanoseconds(start), duration: .nanoseconds(end - start), attempt: id.number)
        call.tell(.phaseFinished(segment, id: id))
    }
}

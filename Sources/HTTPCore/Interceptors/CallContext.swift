/// One call from the side of an interceptor that waits, or asks on more than once: when it began, and by when it has to
/// be over. The time the request grants counts from the beginning, so it covers every wait and every attempt.
struct CallContext {
    let request: Request
    let clock: CallClock
    let start: ContinuousClock.Instant
    let deadline: CallDeadline?

    init(_ request: Request, clock: CallClock) {
        self.request = request
        self.clock = clock
        start = clock.now()
        deadline = clock.deadline(of: request.timeouts, from: start)
    }

    /// Runs `work` under the deadline, so that each exchange in it gets only the time that is left.
    func run(_ work: () -> Result<Response, HTTPError>) -> Result<Response, HTTPError> {
        deadline.map { $0.run(work) } ?? work()
    }

    /// What is left of the call's time; nil where it is not limited.
    var timeLeft: Duration? { deadline.map { clock.now().duration(to: $0.instant) } }

    func cancelled(_ phase: CallPhase, attempts: Int) -> HTTPError { .cancelled(record(phase, attempts)) }

    func timedOut(_ phase: CallPhase, attempts: Int, blockedBy: String? = nil) -> HTTPError {
        .timedOut(
            TimeoutFailure(
                .total, after: deadline?.allowance ?? .zero, record: record(phase, attempts), blockedBy: blockedBy))
    }

    private func record(_ phase: CallPhase, _ attempts: Int) -> CallRecord {
        var record = CallRecord(request, phase: phase)
        record.metrics.attempts = attempts
        record.metrics.total = start.duration(to: clock.now())
        return record
    }

    /// `outcome` as that of the whole call, of which it is the last part: `earlier` exchanges came before, or a wait.
    func finished(_ outcome: Result<Response, HTTPError>, after earlier: Int) -> Result<Response, HTTPError> {
        let total = start.duration(to: clock.now())
        return outcome.changingMetrics { metrics in
            metrics.attempts += earlier
            metrics.total = total
        }
    }
}

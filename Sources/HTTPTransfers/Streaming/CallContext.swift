import HTTPCore
import HTTPSupport

/// A call that uses several connections: when it began, and its deadline. The request's timeout counts from the
/// beginning, so it covers every wait and every connection.
struct CallContext {
    let request: Request
    let clock: CallClock
    let start: TimePoint
    let deadline: CallDeadline?

    init(_ request: Request, clock: CallClock) {
        self.request = request
        self.clock = clock
        start = clock.now()
        deadline = clock.deadline(of: request.timeouts, from: start)
    }

    /// The remaining time of the call; nil if it is unlimited.
    var timeLeft: Duration? { deadline.map { clock.now().duration(to: $0.point) } }

    /// The errors of a call that ends between two connections.
    var cancelled: HTTPError { .cancelled(record) }
    var timedOut: HTTPError { .timedOut(TimeoutFailure(.total, after: deadline?.allowance ?? .zero, record: record)) }

    private var record: CallRecord {
        var record = CallRecord(request, phase: .betweenAttempts)
        record.metrics.attempts = 0
        record.metrics.total = start.duration(to: clock.now())
        return record
    }
}

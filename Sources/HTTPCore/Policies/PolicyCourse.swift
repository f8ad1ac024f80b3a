/// What a policy had sent, and what it waited for: put into the figures of what it comes to.
struct PolicyCourse: Sendable {
    private var earlier: [CallAttempt] = []
    private var waits: [CallWait] = []
    /// When it last sent something, counted from when the request came by.
    private var send = Duration.zero
    /// What came of that.
    private var answer: Result<Response, HTTPError>?

    mutating func noteSend(_ time: Duration) {
        takeAnswer()
        send = time
    }

    mutating func noteAnswer(_ outcome: Result<Response, HTTPError>) { answer = outcome }

    mutating func noteWait(_ phase: CallPhase, _ start: Duration, _ duration: Duration) {
        guard duration > .zero else { return }
        waits.note(CallWait(cause: CallWait.Cause(phase), start: start, duration: duration))
    }

    /// `metrics` are those of the outcome: of what was sent last, or of a call that ended in between.
    func complete(_ metrics: inout Metrics) {
        var course = self
        if let last = answer?.metrics, !last.isOfSameExchange(as: metrics) {
            course.takeAnswer()
            metrics.earlier = course.earlier
            metrics.waits = course.waits
        } else {
            metrics.earlier = metrics.earlier.reduce(into: course.earlier) { $0.note($1.shifted(by: send)) }
            metrics.waits = metrics.waits.reduce(into: course.waits) { $0.note($1.shifted(by: send)) }
            metrics.start += send
        }
    }

    /// What came of the last belongs to what was before.
    private mutating func takeAnswer() {
        guard let history = answer.take()?.history else { return }
        for attempt in history.attempts { earlier.note(attempt.shifted(by: send)) }
        for wait in history.waits { waits.note(wait.shifted(by: send)) }
    }
}

extension CallAttempt {
    fileprivate func shifted(by time: Duration) -> CallAttempt {
        var copy = self
        copy.start += time
        return copy
    }
}

extension CallWait {
    fileprivate func shifted(by time: Duration) -> CallWait {
        var copy = self
        copy.start += time
        return copy
    }
}

extension Metrics {
    /// Whether an outcome with these figures came of the exchange that `other` are of.
    fileprivate func isOfSameExchange(as other: Metrics) -> Bool {
        timings == other.timings && start == other.start && remotePort == other.remotePort
            && localPort == other.localPort && earlier.count == other.earlier.count
    }
}

extension Result where Success == Response, Failure == HTTPError {
    fileprivate var metrics: Metrics? {
        switch self {
        case .success(let response): response.metrics
        case .failure(let error): error.response?.metrics ?? error.record?.metrics
        }
    }

    fileprivate var history: CallHistory? {
        switch self {
        case .success(let response): response.history
        case .failure(let error): error.history
        }
    }
}

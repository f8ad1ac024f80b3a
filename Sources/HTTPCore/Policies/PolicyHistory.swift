/// The requests and waits of a policy so far, added to the metrics of the result.
struct PolicyHistory: Sendable {
    private var attempts: [CallAttempt] = []
    private var attemptCount = 0
    private var waits: [CallWait] = []
    private var id: CallID?
    /// When it last sent a request, relative to the arrival of the request.
    private var start = Duration.zero
    /// Its outcome, and when it came.
    private var answer: Result<Response, HTTPError>?
    private var answerTime = Duration.zero
    /// Its own waits and those within what it has sent.
    private var waited = Duration.zero

    mutating func recordSend(at time: Duration) {
        moveAnswer()
        start = time
    }

    /// `time` is relative to the arrival of the request.
    mutating func recordAnswer(_ outcome: Result<Response, HTTPError>, at time: Duration) {
        answer = outcome
        answerTime = time
    }

    mutating func recordWait(_ wait: CallWait) {
        waits.record(wait)
        waited += wait.duration
    }

    /// `metrics` are those of the outcome: of the last send, or of a call that ended between two sends.
    mutating func complete(_ metrics: inout Metrics) {
        let isOfLastSend = answer?.metrics.map { $0.serial == metrics.serial } ?? true
        if !isOfLastSend { moveAnswer() }
        let (attempts, count, waits) = (attempts, attemptCount, waits)
        let id = id ?? (isOfLastSend ? nil : answer?.metrics?.id)
        let handover = isOfLastSend ? handover : .zero
        metrics.waited = waited + (isOfLastSend ? answer?.metrics?.waited ?? .zero : .zero)
        metrics.changePrelude { [start] values in
            if isOfLastSend { values.shift(by: start) }
            values.handover += handover
            let inner = isOfLastSend ? (values.attempts, values.waits) : ([], [])
            values.attempts = inner.0.reduce(into: attempts) { list, attempt in
                var attempt = attempt
                attempt.number += count
                list.record(attempt)
            }
            values.waits = inner.1.reduce(into: waits) { $0.record($1) }
            if let id { values.id = id }
        }
    }

    /// The time between the last send and its answer that the answer does not account for.
    private var handover: Duration {
        guard let metrics = answer?.metrics else { return .zero }
        return max(.zero, answerTime - start - metrics.total)
    }

    /// Moves the outcome of the last send to the history.
    private mutating func moveAnswer() {
        let handover = handover
        guard let answer = answer.take(), var history = answer.history else { return }
        if id == nil { id = history.id }
        waited += answer.metrics?.waited ?? .zero
        if let last = history.attempts.indices.last { history.attempts[last].handover += handover }
        for var attempt in history.attempts {
            attempt.start += start
            attempt.number += attemptCount
            attempts.record(attempt)
        }
        for var wait in history.waits {
            wait.start += start
            waits.record(wait)
        }
        attemptCount += history.attemptCount
    }
}

extension Result where Success == Response, Failure == HTTPError {
    fileprivate var history: CallHistory? {
        switch self {
        case .success(let response): response.history
        case .failure(let error): error.history
        }
    }
}

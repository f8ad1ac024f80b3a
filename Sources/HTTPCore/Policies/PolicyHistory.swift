/// The requests and waits of a policy so far, added to the metrics of the result.
struct PolicyHistory: Sendable {
    /// What came before the last send.
    private struct Past: Sendable {
        var attempts: [CallAttempt] = []
        var attemptCount = 0
        var waits: [CallWait] = []
        var id: CallID?
        /// The policy's own waits and those within what it has sent.
        var waited = Duration.zero
    }

    /// Indirect, because most calls have none, and there is a history for each policy of each call.
    private indirect enum Memory: Sendable {
        case nothing
        case past(Past)
    }

    private var memory = Memory.nothing
    /// When it last sent a request, relative to the arrival of the request.
    private var start = TimeSpan.zero
    /// Its outcome, and when it came.
    private var answer: Result<Response, HTTPError>?
    private var answerTime = TimeSpan.zero

    private var past: Past {
        get { if case .past(let past) = memory { past } else { Past() } }
        set { memory = .past(newValue) }
    }

    mutating func recordSend(at time: TimeSpan) {
        moveAnswer()
        start = time
    }

    /// `time` is relative to the arrival of the request.
    mutating func recordAnswer(_ outcome: Result<Response, HTTPError>, at time: TimeSpan) {
        answer = outcome
        answerTime = time
    }

    mutating func recordWait(_ wait: CallWait) {
        past.waits.record(wait)
        past.waited += wait.duration
    }

    /// `metrics` are those of the outcome: of the last send, or of a call that ended between two sends.
    mutating func complete(_ metrics: inout Metrics) {
        let isOfLastSend = answer?.metrics.map { $0.serial == metrics.serial } ?? true
        if !isOfLastSend { moveAnswer() }
        let past = past
        let id = past.id ?? (isOfLastSend ? nil : answer?.metrics?.id)
        let handover = isOfLastSend ? handover : .zero
        metrics.waited = past.waited + (isOfLastSend ? answer?.metrics?.waited ?? .zero : .zero)
        metrics.changePrelude { [start = start.duration] values in
            if isOfLastSend { values.shift(by: start) }
            values.handover += handover
            let inner = isOfLastSend ? (values.attempts, values.waits) : ([], [])
            values.attempts = inner.0.reduce(into: past.attempts) { list, attempt in
                var attempt = attempt
                attempt.number += past.attemptCount
                list.record(attempt)
            }
            values.waits = inner.1.reduce(into: past.waits) { $0.record($1) }
            if let id { values.id = id }
        }
    }

    /// The time between the last send and its answer that the answer does not account for.
    private var handover: Duration {
        guard let metrics = answer?.metrics else { return .zero }
        return max(.zero, (answerTime - start).duration - metrics.total)
    }

    /// Moves the outcome of the last send to the past.
    private mutating func moveAnswer() {
        guard let last = answer else { return }
        let (handover, start) = (handover, start.duration)
        answer = nil
        guard var history = last.history else { return }
        if let index = history.attempts.indices.last { history.attempts[index].handover += handover }
        var past = past
        if past.id == nil { past.id = history.id }
        past.waited += last.metrics?.waited ?? .zero
        for var attempt in history.attempts {
            attempt.start += start
            attempt.number += past.attemptCount
            past.attempts.record(attempt)
        }
        for var wait in history.waits {
            wait.start += start
            past.waits.record(wait)
        }
        past.attemptCount += history.attemptCount
        self.past = past
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

import HTTPSupport

/// The requests and waits of a policy so far, added to the metrics of the result.
struct PolicyHistory: Sendable {
    /// What came before the last send. An object, because most calls have none, and there is a history for each policy of
    /// each call.
    private var past: CallPrelude?
    /// When it last sent a request, relative to the arrival of the request.
    private var start = TimeSpan.zero
    /// Its outcome, and when it came.
    private var answer: Result<Response, HTTPError>?
    private var answerTime = TimeSpan.zero
    /// Whether the server may have processed a request before the last one.
    private(set) var mayHaveBeenProcessed = false

    private mutating func changePast(_ change: (inout CallPrelude.Values) -> Void) {
        var values = past?.values ?? CallPrelude.Values()
        change(&values)
        past = CallPrelude(values)
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

    mutating func recordWait(_ wait: CallWait) { changePast { $0.append(wait) } }

    /// `metrics` are those of the outcome: of the last send, or of a call that ended between two sends.
    mutating func complete(_ metrics: inout Metrics) {
        let isOfLastSend = answer?.metrics.map { $0.serial == metrics.serial } ?? true
        if !isOfLastSend { moveAnswer() }
        let past = past?.values ?? CallPrelude.Values()
        metrics.waited = past.waited + (isOfLastSend ? answer?.metrics?.waited ?? .zero : .zero)
        metrics.changePrelude { [start = start.duration, handover] values in
            var whole = past
            whole.append(isOfLastSend ? values : CallPrelude.Values(), at: isOfLastSend ? start : values.start)
            whole.handover = values.handover + (isOfLastSend ? handover : .zero)
            values = whole
        }
    }

    /// The time between the last send and its answer that the answer does not account for.
    private var handover: Duration {
        guard let metrics = answer?.metrics else { return .zero }
        return max(.zero, (answerTime - start).duration - metrics.total)
    }

    /// Moves the outcome of the last send to the past.
    private mutating func moveAnswer() {
        defer { answer = nil }
        if answer?.mayHaveBeenProcessed == true { mayHaveBeenProcessed = true }
        guard let history = answer?.history else { return }
        var part = CallPrelude.Values(
            id: history.id, attempts: history.attempts, attemptCount: history.attemptCount, waits: history.waits,
            waited: answer?.metrics?.waited ?? .zero)
        if let last = part.attempts.indices.last { part.attempts[last].handover += handover }
        changePast { [start = start.duration] in $0.append(part, at: start) }
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

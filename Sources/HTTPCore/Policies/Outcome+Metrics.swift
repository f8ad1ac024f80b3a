extension Result where Success == Response, Failure == HTTPError {
    /// The metrics; nil for an error without a call.
    var metrics: Metrics? {
        switch self {
        case .success(let response): response.metrics
        case .failure(let error): error.metrics
        }
    }

    /// The number of exchanges; 0 if nothing was sent.
    package var attempts: Int {
        switch self {
        case .success(let response): response.attempts
        case .failure(let error): error.metrics?.attemptCount ?? 0
        }
    }

    /// The response, also one that was refused or could not be decoded.
    package var received: Response? {
        switch self {
        case .success(let response): response
        case .failure(let error): error.response
        }
    }

    /// The response, even if it became an error because of its status.
    package var answer: Response? {
        switch self {
        case .success(let response): response
        case .failure(.unacceptableStatus(let response)): response
        case .failure: nil
        }
    }

    /// Whether the server may have processed a request of the call. A 401 says that it did not (RFC 9110 §15.5.2).
    var mayHaveBeenProcessed: Bool {
        if let received { return received.status != .unauthorized || received.attempts > 1 }
        return if case .failure(let error) = self { error.mayHaveBeenProcessed } else { false }
    }

    /// The same outcome with changed metrics, in the response or the error's record.
    package func changingMetrics(_ change: (inout Metrics) -> Void) -> Self {
        switch self {
        case .success(var response):
            change(&response.metrics)
            return .success(response)
        case .failure(let error): return .failure(error.changingMetrics(change))
        }
    }

    /// The outcome of a call that first had this wait.
    package func inserting(_ wait: CallWait) -> Self { changingMetrics { $0.insert(wait) } }

    /// A wait within the exchanges, whose time is a part of theirs.
    package func noting(_ wait: CallWait) -> Self { changingMetrics { $0.note(wait) } }
}

extension HTTPError {
    /// The metrics of its response or its record; nil for an error without a call.
    var metrics: Metrics? { response?.metrics ?? record?.metrics }

    package func inserting(_ wait: CallWait) -> HTTPError { changingMetrics { $0.insert(wait) } }

    /// The same error with these redirects before its own.
    package func behind(_ hops: [RedirectHop]) -> HTTPError {
        guard !hops.isEmpty else { return self }
        guard response == nil else { return changingResponse { $0 = $0.answering($0.request, behind: hops) } }
        return changingRecord { $0.redirects = hops + $0.redirects }
    }

    /// Whether the server may have processed a request of the call, this one or one that was redirected.
    package var mayHaveBeenProcessed: Bool {
        if case .connection(let failure) = self { return failure.mayHaveBeenProcessed }
        guard let record else { return response != nil }
        if !record.redirects.isEmpty || !record.metrics.earlier.isEmpty { return true }
        // What a closure threw does not say what that had sent.
        let isThrown = if case .interceptor = self { true } else { false }
        return record.metrics.attemptCount > 0 && (isThrown || !record.phase.isBeforeSending)
    }

    func changingMetrics(_ change: (inout Metrics) -> Void) -> HTTPError {
        guard response == nil else { return changingResponse { change(&$0.metrics) } }
        return changingRecord { change(&$0.metrics) }
    }

    /// The same error with another response, if it has one.
    func changingResponse(_ change: (inout Response) -> Void) -> HTTPError {
        guard var response else { return self }
        change(&response)
        guard case .decoding(var failure) = self else { return .unacceptableStatus(response) }
        failure.response = response
        return .decoding(failure)
    }
}

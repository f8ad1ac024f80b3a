extension Result where Success == Response, Failure == HTTPError {
    /// The metrics; nil for an error without a call.
    var metrics: Metrics? {
        switch self {
        case .success(let response): response.metrics
        case .failure(let error): error.response?.metrics ?? error.record?.metrics
        }
    }

    /// The number of exchanges; 0 if nothing was sent.
    var attempts: Int {
        switch self {
        case .success(let response): response.attempts
        case .failure(let error): (error.response?.metrics ?? error.record?.metrics)?.attempts ?? 0
        }
    }

    /// The response, even if it became an error because of its status.
    var answer: Response? {
        switch self {
        case .success(let response): response
        case .failure(.unacceptableStatus(let response)): response
        case .failure: nil
        }
    }

    /// The same outcome with changed metrics, in the response or the error's record.
    func changingMetrics(_ change: (inout Metrics) -> Void) -> Self {
        switch self {
        case .success(var response):
            change(&response.metrics)
            return .success(response)
        case .failure(let error): return .failure(error.changingMetrics(change))
        }
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The outcome of a call that first had this wait.
    package func inserting(_ wait: CallWait) -> Self { changingMetrics { $0.insert(wait) } }
}

extension HTTPError {
    package func inserting(_ wait: CallWait) -> HTTPError { changingMetrics { $0.insert(wait) } }

    func changingMetrics(_ change: (inout Metrics) -> Void) -> HTTPError {
        switch self {
        case .unacceptableStatus(var response):
            change(&response.metrics)
            return .unacceptableStatus(response)
        case .decoding(var failure):
            change(&failure.response.metrics)
            return .decoding(failure)
        default: return changingRecord { change(&$0.metrics) }
        }
    }

    /// The same error with a changed record, if it has one.
    func changingRecord(_ change: (inout CallRecord) -> Void) -> HTTPError {
        func changed<Value>(_ value: Value, _ path: WritableKeyPath<Value, CallRecord>) -> Value {
            var copy = value
            change(&copy[keyPath: path])
            return copy
        }
        return switch self {
        case .cancelled(let record): .cancelled(record.map { changed($0, \.self) })
        case .timedOut(let failure): .timedOut(failure.changingRecord(change))
        case .overloaded(let failure): .overloaded(changed(failure, \.record))
        case .notCached(let failure): .notCached(changed(failure, \.record))
        case .resolution(let failure): .resolution(changed(failure, \.record))
        case .destinationRefused(let failure): .destinationRefused(changed(failure, \.record))
        case .connection(let failure): .connection(changed(failure, \.record))
        case .tls(let failure): .tls(changed(failure, \.record))
        case .protocolViolation(let failure): .protocolViolation(changed(failure, \.record))
        case .truncatedBody(let failure): .truncatedBody(changed(failure, \.record))
        case .limitExceeded(let failure): .limitExceeded(changed(failure, \.record))
        case .body(let failure): .body(changed(failure, \.record))
        case .interceptor(let failure): .interceptor(changed(failure, \.record))
        case .redirect(let failure): .redirect(changed(failure, \.record))
        case .unacceptableStatus, .decoding, .invalidRequest, .unsupported, .brokenPromise: self
        }
    }
}

extension TimeoutFailure {
    fileprivate func changingRecord(_ change: (inout CallRecord) -> Void) -> TimeoutFailure {
        guard var record else { return self }
        change(&record)
        var copy = self
        copy.record = record
        return copy
    }
}

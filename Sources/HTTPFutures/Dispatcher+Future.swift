extension Dispatcher {
    /// Runs blocking work on a thread of this dispatcher.
    ///
    ///     Dispatcher.shared.future { client.executeRequest(draft).decoded(as: User.self) }
    ///
    /// The parameters are those of `submit`. Cancelling the future cancels the calls of the work.
    public func future<Value: Sendable>(
        host: String? = nil, priority: Priority = .normal, timeout: Duration? = nil,
        _ work: @escaping @Sendable () -> Result<Value, HTTPError>
    ) -> Future<Value, HTTPError> {
        .ofCall { submit(host: host, priority: priority, timeout: timeout, work, completion: $0) }
    }
}

extension Future where Failure == HTTPError {
    /// The outcome that the call started by `start` reports. Cancelling the future cancels the call.
    static func ofCall(
        _ start: (_ report: @escaping @Sendable (Result<Value, HTTPError>) -> Void) -> DispatchedCall
    ) -> Future {
        Future { promise in
            let call = start { promise.resolve($0) }
            promise.onCancel { call.cancel() }
        }
    }
}

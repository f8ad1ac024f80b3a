public import HTTPAsync
public import HTTPCore

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
        Future { promise in
            let call = submit(host: host, priority: priority, timeout: timeout, work) { promise.resolve($0) }
            promise.onCancel { call.cancel() }
        }
    }
}

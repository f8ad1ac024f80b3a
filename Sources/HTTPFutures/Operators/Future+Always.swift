public import HTTPAsync

extension Future {
    /// The same result, after `callback` has run: on success, failure and cancellation of what comes before.
    @inlinable
    public func always(
        on queue: CallbackQueue? = nil, _ callback: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) -> Future {
        derive(on: queue) { result in
            callback(result)
            return .settled(result)
        }
    }
}

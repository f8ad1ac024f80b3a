extension Future {
    /// The same result, after `callback` has run: after success, failure and cancellation.
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

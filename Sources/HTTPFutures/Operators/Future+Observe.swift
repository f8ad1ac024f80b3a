extension Future {
    /// Calls `callback` with the result. Every callback is called once.
    @inlinable
    public func onComplete(
        on queue: CallbackQueue? = nil, _ callback: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        let waiter =
            if let queue {
                Waiter<Result<Value, Failure>> { result, _, _ in queue.run { callback(result) } }
            } else {
                Waiter<Result<Value, Failure>> { result, _, _ in callback(result) }
            }
        core.attach(waiter, isDependent: true)
    }

    /// Calls `callback` with the value, on success.
    @inlinable
    public func onSuccess(on queue: CallbackQueue? = nil, _ callback: @escaping @Sendable (Value) -> Void) {
        onComplete(on: queue) { if case .success(let value) = $0 { callback(value) } }
    }

    /// Calls `callback` with the failure, on failure.
    @inlinable
    public func onFailure(on queue: CallbackQueue? = nil, _ callback: @escaping @Sendable (Failure) -> Void) {
        onComplete(on: queue) { if case .failure(let failure) = $0 { callback(failure) } }
    }
}

public import HTTPAsync

extension Future {
    /// Calls `callback` with the result. Every callback is called once.
    @inlinable
    public func onComplete(
        on queue: CallbackQueue? = nil, _ callback: @escaping @Sendable (Result<Value, Failure>) -> Void
    ) {
        // Without a queue the closure holds the callback alone, and is smaller.
        guard let queue else { return observe(callback) }
        observe { result in queue.run { callback(result) } }
    }

    @usableFromInline typealias Observer = ObserverCore<Result<Value, Failure>>

    @inlinable @inline(__always)
    func observe(_ callback: @escaping @Sendable (Result<Value, Failure>) -> Void) {
        core.gainDependent()
        core.attach(
            Observer(callback) { source, node in
                guard let callback = unsafeDowncast(node, to: Observer.self).takeWork() else { return .over }
                if let result = unsafeDowncast(source, to: Core.self).stored.result { callback.work(result) }
                return .over
            })
    }

    /// Calls `callback` with the value, if it comes to one.
    @inlinable
    public func onSuccess(on queue: CallbackQueue? = nil, _ callback: @escaping @Sendable (Value) -> Void) {
        onComplete(on: queue) { if case .success(let value) = $0 { callback(value) } }
    }

    /// Calls `callback` with the failure, if it comes to one.
    @inlinable
    public func onFailure(on queue: CallbackQueue? = nil, _ callback: @escaping @Sendable (Failure) -> Void) {
        onComplete(on: queue) { if case .failure(let failure) = $0 { callback(failure) } }
    }
}

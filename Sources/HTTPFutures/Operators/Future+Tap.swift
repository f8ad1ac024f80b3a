extension Future {
    /// The same result, after `callback` has been called with the value, on success.
    @inlinable
    public func tap(on queue: CallbackQueue? = nil, _ callback: @escaping @Sendable (Value) -> Void) -> Future {
        derive(on: queue) { result in
            if case .success(let value) = result { callback(value) }
            return .settled(result)
        }
    }
}

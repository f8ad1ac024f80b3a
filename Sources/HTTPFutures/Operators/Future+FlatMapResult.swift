extension Future {
    /// The result that `transform` returns for the value. A failure passes unchanged.
    @inlinable
    public func flatMapResult<NewValue: Sendable>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Value) -> Result<NewValue, Failure>
    ) -> Future<NewValue, Failure> {
        derive(on: queue) { .settled($0.flatMap(transform)) }
    }
}

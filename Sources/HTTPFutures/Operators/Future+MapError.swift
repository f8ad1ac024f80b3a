extension Future {
    /// The failure, transformed. A value passes unchanged.
    @inlinable
    public func mapError(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) -> Failure
    ) -> Future {
        derive(on: queue) { .settled($0.mapError(transform)) }
    }

    /// The failure, transformed to another type. A value passes unchanged.
    // The type is spelled out, because the compiler would infer `Never` when a step follows.
    @inlinable
    public func mapError<NewFailure: Error>(
        to type: NewFailure.Type, on queue: CallbackQueue? = nil,
        _ transform: @escaping @Sendable (Failure) -> NewFailure
    ) -> Future<Value, NewFailure> {
        derive(on: queue) { .settled($0.mapError(transform)) }
    }
}

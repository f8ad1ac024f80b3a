public import HTTPAsync

extension Future {
    /// The failure, transformed, perhaps to another type. A value passes unchanged.
    @inlinable
    public func mapError<NewFailure: Error>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) -> NewFailure
    ) -> Future<Value, NewFailure> {
        derive(on: queue) { .settled($0.mapError(transform)) }
    }
}

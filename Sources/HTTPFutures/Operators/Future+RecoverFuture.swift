/// The same word for a replacement that takes time: `recover { error in client.future(for: fallback) }`.
extension Future {
    /// Replaces a failure by the result of another future, as `flatMapError` does. A value passes unchanged.
    @inlinable
    public func recover<NewFailure: Error>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) -> Future<Value, NewFailure>
    ) -> Future<Value, NewFailure> {
        flatMapError(on: queue, transform)
    }

    /// The same for a transform that throws.
    @_disfavoredOverload
    @inlinable
    public func recover(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) throws(Failure) -> Future
    ) -> Future {
        flatMapError(on: queue, transform)
    }

    /// Replaces a failure by the result of another future, which may fail in the same way.
    // For a closure of several statements, from which the compiler infers no type of failure.
    @_disfavoredOverload
    @inlinable
    public func flatMapError(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) -> Future
    ) -> Future {
        derive(on: queue, startsWork: { !$0.isSuccess }) { result in
            switch result {
            case .success: .settled(result)
            case .failure(let failure): .pending(transform(failure))
            }
        }
    }
}

extension Future {
    /// Replaces a failure by the result of another future. A value passes unchanged; an error that `transform` throws
    /// is the new failure, and the closure declares its type: `{ failure throws(HTTPError) in … }`.
    @inlinable
    public func flatMapError(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) throws(Failure) -> Future
    ) -> Future {
        derive(on: queue, startsWork: { !$0.isSuccess }) { result in
            guard case .failure(let failure) = result else { return .settled(result) }
            do throws(Failure) { return .pending(try transform(failure)) } catch { return .settled(.failure(error)) }
        }
    }

    /// The same for a transform that does not throw. Its future may fail with another type.
    @_disfavoredOverload
    @inlinable
    public func flatMapError<NewFailure: Error>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) -> Future<Value, NewFailure>
    ) -> Future<Value, NewFailure> {
        derive(on: queue, startsWork: { !$0.isSuccess }) { result in
            switch result {
            case .success(let value): .settled(.success(value))
            case .failure(let failure): .pending(transform(failure))
            }
        }
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

public import HTTPAsync

extension Future {
    /// Another future in place of a failure, flattened. A value passes unchanged; what `transform` throws is the new
    /// failure, and it says what that is: `{ failure throws(HTTPError) in … }`.
    @inlinable
    public func flatMapError(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) throws(Failure) -> Future
    ) -> Future {
        derive(on: queue, startsWork: { !$0.isSuccess }) { result in
            guard case .failure(let failure) = result else { return .settled(result) }
            do throws(Failure) { return .pending(try transform(failure)) } catch { return .settled(.failure(error)) }
        }
    }

    /// The same for a transform that throws nothing, and whose future may fail otherwise.
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
}

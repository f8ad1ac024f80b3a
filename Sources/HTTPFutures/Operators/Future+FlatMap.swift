extension Future {
    /// The value of the future that `transform` returns. A failure passes unchanged; an error that `transform` throws
    /// is a failure, and the closure declares its type: `{ value throws(HTTPError) in … }`. Returning a future that
    /// waits for this one's result cancels it.
    @inlinable
    public func flatMap<NewValue: Sendable>(
        on queue: CallbackQueue? = nil,
        _ transform: @escaping @Sendable (Value) throws(Failure) -> Future<NewValue, Failure>
    ) -> Future<NewValue, Failure> {
        derive(on: queue, startsWork: { $0.isSuccess }) { result in
            switch result {
            case .success(let value):
                do throws(Failure) { return .pending(try transform(value)) } catch { return .settled(.failure(error)) }
            case .failure(let failure): return .settled(.failure(failure))
            }
        }
    }

    /// The same for a transform that does not throw: see `map`.
    @_disfavoredOverload
    @inlinable
    public func flatMap<NewValue: Sendable>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Value) -> Future<NewValue, Failure>
    ) -> Future<NewValue, Failure> {
        derive(on: queue, startsWork: { $0.isSuccess }) { result in
            switch result {
            case .success(let value): .pending(transform(value))
            case .failure(let failure): .settled(.failure(failure))
            }
        }
    }
}

extension Future where Failure == Never {
    /// The value of the future that `transform` returns. It may fail, although this one cannot.
    @_disfavoredOverload
    @inlinable
    public func flatMap<NewValue: Sendable, NewFailure: Error>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Value) -> Future<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        derive(on: queue, startsWork: { $0.isSuccess }) { result in
            switch result {
            case .success(let value): .pending(transform(value))
            }
        }
    }
}

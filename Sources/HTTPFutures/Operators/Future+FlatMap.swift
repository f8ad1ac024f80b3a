public import HTTPAsync

extension Future {
    /// The future that `transform` makes of the value, flattened. A failure passes unchanged; what `transform` throws is
    /// a failure, and it says what that is: `{ value throws(HTTPError) in … }`. One that returns its own future is cancelled;
    /// one that returns what waits for it never ends.
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

    /// The same for a transform that throws nothing: see `map`.
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
    /// The future that `transform` makes of the value, flattened. It may fail, though this one cannot.
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

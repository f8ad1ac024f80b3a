public import HTTPAsync

extension Future {
    /// The value, transformed. A failure passes unchanged; what `transform` throws is a failure. It says what that is:
    /// `{ value throws(HTTPError) in … }`.
    @inlinable
    public func map<NewValue: Sendable>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Value) throws(Failure) -> NewValue
    ) -> Future<NewValue, Failure> {
        derive(on: queue) { result in
            switch result {
            case .success(let value): .settled(Result { () throws(Failure) in try transform(value) })
            case .failure(let failure): .settled(.failure(failure))
            }
        }
    }

    /// The same for a transform that throws nothing.
    // The compiler needs it where an expression goes on from a future whose failure is not known yet: `Future.all(…).map`.
    // It is the second choice, so that a closure that throws hears of the error type.
    @_disfavoredOverload
    @inlinable
    public func map<NewValue: Sendable>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Value) -> NewValue
    ) -> Future<NewValue, Failure> {
        derive(on: queue) { .settled($0.map(transform)) }
    }
}

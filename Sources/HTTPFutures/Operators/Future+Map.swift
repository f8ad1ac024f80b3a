extension Future {
    /// The value, transformed. A failure passes unchanged; an error that `transform` throws is a failure, and the
    /// closure declares its type: `{ value throws(HTTPError) in … }`.
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

    /// The same for a transform that does not throw.
    // The compiler needs it where an expression continues from a future whose failure type is not known yet:
    // `Future.all(…).map`. It is disfavoured, so that a throwing closure gets its error type.
    @_disfavoredOverload
    @inlinable
    public func map<NewValue: Sendable>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Value) -> NewValue
    ) -> Future<NewValue, Failure> {
        derive(on: queue) { .settled($0.map(transform)) }
    }
}

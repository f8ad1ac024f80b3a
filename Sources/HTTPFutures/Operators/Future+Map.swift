public import HTTPAsync

extension Future {
    /// The value, transformed. A failure passes unchanged; what `transform` throws is a failure.
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
}

public import HTTPAsync

extension Future {
    /// The value, transformed. A failure passes unchanged; what `transform` throws is a failure.
    @inlinable
    public func map<NewValue: Sendable>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Value) throws(Failure) -> NewValue
    ) -> Future<NewValue, Failure> {
        derive(on: queue) { result in
            switch result {
            case .success(let value):
                do throws(Failure) { return .settled(.success(try transform(value))) } catch {
                    return .settled(.failure(error))
                }
            case .failure(let failure): return .settled(.failure(failure))
            }
        }
    }
}

public import HTTPAsync

extension Future {
    /// The future that `transform` makes of the value, flattened. A failure passes unchanged; what `transform` throws is
    /// a failure. One that returns its own future is cancelled; one that returns what waits for it never ends.
    @inlinable
    public func flatMap<NewValue: Sendable>(
        on queue: CallbackQueue? = nil,
        _ transform: @escaping @Sendable (Value) throws(Failure) -> Future<NewValue, Failure>
    ) -> Future<NewValue, Failure> {
        derive(on: queue, starts: .onSuccess) { result in
            switch result {
            case .success(let value):
                do throws(Failure) { return .pending(try transform(value)) } catch { return .settled(.failure(error)) }
            case .failure(let failure): return .settled(.failure(failure))
            }
        }
    }
}

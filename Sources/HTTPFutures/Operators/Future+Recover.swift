public import HTTPAsync

extension Future {
    /// A value in place of a failure. A value passes unchanged; what `transform` throws is the new failure.
    @inlinable
    public func recover(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) throws(Failure) -> Value
    ) -> Future {
        derive(on: queue) { result in
            guard case .failure(let failure) = result else { return .settled(result) }
            do throws(Failure) {
                return .settled(.success(try transform(failure)))
            } catch {
                return .settled(.failure(error))
            }
        }
    }
}

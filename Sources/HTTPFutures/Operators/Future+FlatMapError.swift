public import HTTPAsync

extension Future {
    /// Another future in place of a failure, flattened. A value passes unchanged; what `transform` throws is the new
    /// failure.
    @inlinable
    public func flatMapError(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) throws(Failure) -> Future
    ) -> Future {
        derive(on: queue, starts: .onFailure) { result in
            guard case .failure(let failure) = result else { return .settled(result) }
            do throws(Failure) { return .pending(try transform(failure)) } catch { return .settled(.failure(error)) }
        }
    }
}

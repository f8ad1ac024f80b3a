extension Future {
    /// Replaces a failure by a value; with a closure that does not throw, the future cannot fail any more. A value
    /// passes unchanged; an error that `transform` throws is the new failure.
    @inlinable
    public func recover<NewFailure: Error>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Failure) throws(NewFailure) -> Value
    ) -> Future<Value, NewFailure> {
        derive(on: queue) { result in
            switch result {
            case .success(let value): .settled(.success(value))
            case .failure(let failure): .settled(Result { () throws(NewFailure) in try transform(failure) })
            }
        }
    }
}

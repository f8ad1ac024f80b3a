public import HTTPAsync

extension Future {
    /// The value, transformed. A failure passes unchanged; what `transform` throws is a failure.
    @inlinable
    public func map<NewValue: Sendable>(
        on queue: CallbackQueue? = nil, _ transform: @escaping @Sendable (Value) throws(Failure) -> NewValue
    ) -> Future<NewValue, Failure> {
        typealias Mapped = Future<NewValue, Failure>
        guard queue == nil, core.budget == nil else {
            return derive(on: queue) { result in Mapped.outcome(of: result, transform) }
        }
        if let mapped = derivedNow({ Mapped.outcome(of: $0, transform) }) { return mapped }
        typealias Link = LinkCore<Slot<NewValue, Failure>, Value, NewValue, Failure>
        let link = Link(.pending, transform) { source, node in
            guard let transform = unsafeDowncast(node, to: Link.self).takeWork() else { return .over }
            guard let result = unsafeDowncast(source, to: Core.self).stored.result else { return .over }
            return Mapped.finish(node, Mapped.outcome(of: result, transform.work))
        }
        return linked(link)
    }

    @inlinable @inline(__always)
    static func outcome<Source>(
        of result: Result<Source, Failure>, _ transform: (Source) throws(Failure) -> Value
    ) -> Outcome<Value, Failure> {
        switch result {
        case .success(let value):
            do throws(Failure) { return .settled(.success(try transform(value))) } catch {
                return .settled(.failure(error))
            }
        case .failure(let failure): return .settled(.failure(failure))
        }
    }
}

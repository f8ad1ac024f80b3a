public import HTTPAsync

extension Future {
    /// The future that `transform` makes of the value, flattened. A failure passes unchanged; what `transform` throws is
    /// a failure. A future made to wait for itself, also through others, is cancelled, for it could never end.
    @inlinable
    public func flatMap<NewValue: Sendable>(
        on queue: CallbackQueue? = nil,
        _ transform: @escaping @Sendable (Value) throws(Failure) -> Future<NewValue, Failure>
    ) -> Future<NewValue, Failure> {
        typealias Mapped = Future<NewValue, Failure>
        guard queue == nil, core.budget == nil else {
            return derive(on: queue, starts: .onSuccess) { result in Mapped.outcome(of: result, flattening: transform) }
        }
        if let mapped = derivedNow({ Mapped.outcome(of: $0, flattening: transform) }) { return mapped }
        typealias Link = FlatLinkCore<Value, NewValue, Failure>
        let link = Link(transform) { source, node in
            guard let transform = unsafeDowncast(node, to: Link.self).takeWork() else { return .over }
            guard let result = unsafeDowncast(source, to: Core.self).stored.result else { return .over }
            return Mapped.finish(node, Mapped.outcome(of: result, flattening: transform.work))
        }
        return linked(link)
    }

    @inlinable @inline(__always)
    static func outcome<Source>(
        of result: Result<Source, Failure>, flattening transform: (Source) throws(Failure) -> Future
    ) -> Outcome<Value, Failure> {
        switch result {
        case .success(let value):
            do throws(Failure) { return .pending(try transform(value)) } catch { return .settled(.failure(error)) }
        case .failure(let failure): return .settled(.failure(failure))
        }
    }
}

import HTTPAsync

/// A result that is there now or will be later: a success or a failure, set once.
///
/// Callbacks and transforms run in the order of registration, on the thread that brought the result (at once, on the
/// caller's, if it is there already), and never inside one another: one registered or set off within a callback runs
/// after it. They should be short; `on:` moves them to a queue. None of them runs under a lock.
///
/// Dropping a future cancels nothing. `cancel()` does.
///
/// A future may be used from any thread.
public struct Future<Value: Sendable, Failure: Error>: Sendable {
    let core: ResultCore<Value, Failure>

    init(core: ResultCore<Value, Failure>) { self.core = core }

    /// A future that has its result already.
    public init(_ result: Result<Value, Failure>) { core = ResultCore(result) }

    public static func success(_ value: Value) -> Self { Self(.success(value)) }

    public static func failure(_ failure: Failure) -> Self { Self(.failure(failure)) }

    /// The result; nil while the future is pending. Never waits.
    public var result: Result<Value, Failure>? { core.result }

    public var isPending: Bool { !core.isDone }
}

/// What a step came to: a result, or a future to take it from.
enum Outcome<Value: Sendable, Failure: Error> {
    case settled(Result<Value, Failure>)
    case pending(Future<Value, Failure>)
}

extension Future {
    /// A future that ends with what `work` makes of this one's result: the base of most operators.
    func derive<NewValue, NewFailure>(
        on queue: CallbackQueue?,
        _ work: @escaping @Sendable (Result<Value, Failure>) -> Outcome<NewValue, NewFailure>
    ) -> Future<NewValue, NewFailure> {
        let step: FutureCore.Step = { source, node in
            guard let result = unsafeDowncast(source, to: ResultCore<Value, Failure>.self).result else { return nil }
            switch work(result) {
            case .settled(let result):
                unsafeDowncast(node, to: ResultCore<NewValue, NewFailure>.self).settle(result)
                return nil
            case .pending(let future): return future.core
            }
        }
        guard let queue else { return attached(step) }
        return attached { source, node in
            source.hop(to: queue, node, step)
            return nil
        }
    }

    func attached<NewValue, NewFailure>(_ step: @escaping FutureCore.Step) -> Future<NewValue, NewFailure> {
        let node = ResultCore<NewValue, NewFailure>(budget: core.budget, step: step)
        node.wait(on: core)
        core.attach(node)
        return Future<NewValue, NewFailure>(core: node)
    }
}

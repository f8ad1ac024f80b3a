/// A result that is there now or will be later: a success or a failure, set once.
///
/// Callbacks and transforms run in the order of registration, on the thread that brought the result (at once, on the
/// caller's, if it is there already), and one after the other: one registered or set off within a callback runs after
/// it, unless that callback calls `wait()`, which runs others meanwhile. They should be short; `on:` moves them to a
/// queue. None of them runs under a lock.
///
/// Dropping a future cancels nothing. `cancel()` does.
///
/// A future may be used from any thread.
public struct Future<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline typealias Core = ResultCore<Slot<Value, Failure>>

    @usableFromInline let core: Core

    @inlinable
    init(core: Core) { self.core = core }

    @inlinable
    init(_ slot: Slot<Value, Failure>, budget: Budget?) {
        core = Core(slot, state: FutureCore.done, budget: budget)
    }

    /// A future that has its result already.
    @inlinable
    public init(_ result: Result<Value, Failure>) { self.init(Slot(result), budget: nil) }

    @inlinable
    public static func success(_ value: Value) -> Self { Self(.success(value), budget: nil) }

    @inlinable
    public static func failure(_ failure: Failure) -> Self { Self(.failure(failure), budget: nil) }

    /// The result; nil while the future is pending. Never waits.
    @inlinable public var result: Result<Value, Failure>? { core.isDone ? core.stored.result : nil }

    @inlinable public var isPending: Bool { !core.isDone }
}

/// A result that is there now or will be later: a success or a failure, set once.
///
/// Callbacks and transforms run in the order of registration, on the thread that brought the result (at once, on the
/// caller's, if it is there already), and one after the other: one registered or set off within a callback runs after
/// it, unless that callback calls `wait()`, which runs others meanwhile. They should be short; `on:` moves them to a
/// queue. None of them runs under a lock.
///
/// They inherit nothing from the thread that brought the result: no cancellation token, no deadline, and no place in the
/// dispatcher's call that it may be making. A transform of a future that is done runs as its caller's own code.
///
/// Dropping a future cancels nothing. `cancel()` does.
///
/// A future may be used from any thread.
public struct Future<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline typealias Core = FutureCore<Value, Failure>

    @usableFromInline let core: Core

    @inlinable
    init(core: Core) { self.core = core }

    /// A future that has its result already.
    @inlinable
    public init(_ result: Result<Value, Failure>) { self.init(core: .make(result)) }

    /// A future that has succeeded with `value` already.
    @inlinable
    public static func success(_ value: Value) -> Self { Self(.success(value)) }

    /// A future that has failed already.
    @inlinable
    public static func failure(_ failure: Failure) -> Self { Self(.failure(failure)) }

    /// The result; nil while the future is pending. Never waits.
    @inlinable public var result: Result<Value, Failure>? { core.result }

    /// Whether the result is still to come. Never waits.
    @inlinable public var isPending: Bool { result == nil }
}

/// The result of work that may still be running: a success or a failure, set once.
///
/// Callbacks and transforms run in order of registration, one after the other, on the thread that set the result, or at
/// once on the caller's thread if the result is set. One that is registered within a callback runs after that callback,
/// unless the callback calls `wait()`. They should be short; `on:` moves them to a queue. None runs under a lock.
///
/// They inherit no cancellation token, no deadline and no dispatcher slot from the thread that set the result. A
/// transform of a finished future runs as its caller's own code.
///
/// Dropping a future cancels nothing; `cancel()` does. Any thread may use a future.
public struct Future<Value: Sendable, Failure: Error>: Sendable {
    @usableFromInline typealias Core = FutureCore<Value, Failure>

    @usableFromInline let core: Core

    @inlinable
    init(core: Core) { self.core = core }

    /// A future with a result.
    @inlinable
    public init(_ result: Result<Value, Failure>) { self.init(core: .make(result)) }

    /// A future that has succeeded with `value`.
    @inlinable
    public static func success(_ value: Value) -> Self { Self(.success(value)) }

    /// A future that has failed.
    @inlinable
    public static func failure(_ failure: Failure) -> Self { Self(.failure(failure)) }

    /// The result; nil while the future is pending. Does not wait.
    @inlinable public var result: Result<Value, Failure>? { core.result }

    /// Whether the result is not set yet. Does not wait.
    @inlinable public var isPending: Bool { result == nil }
}

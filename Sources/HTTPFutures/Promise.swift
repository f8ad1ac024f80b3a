import HTTPCore
public import Synchronization

/// The writing end of a future.
///
/// The first resolution counts, from any thread; later ones do nothing. A promise that is dropped unresolved fails its
/// future with `brokenPromise` and names the place where it was made, so a waiter always gets an answer.
///
/// Callbacks run on the resolving thread, before `resolve` returns, unless that thread is in a callback already.
public final class Promise<Value: Sendable, Failure: FutureFailure>: Sendable {
    @usableFromInline let core: Future<Value, Failure>.Core
    /// Whether the promise was resolved, so that nothing is left to do when it is dropped.
    @usableFromInline let isKept = Atomic(false)
    @usableFromInline let file: StaticString
    @usableFromInline let line: Int

    /// A promise and its pending future. `file` and `line` are named by the error should it be dropped unresolved.
    @inlinable
    public init(
        of value: Value.Type = Value.self, failure: Failure.Type = Failure.self, file: StaticString = #fileID,
        line: Int = #line
    ) {
        core = Future<Value, Failure>.Core.make()
        self.file = file
        self.line = line
    }

    /// The future that this promise resolves. Each reading gives the same one.
    @inlinable public var future: Future<Value, Failure> { Future(core: core) }

    @inlinable
    deinit { if !isKept.load(ordering: .relaxed) { breakUp() } }

    /// Apart, so that a promise that was kept pays nothing for it: not even the look-up of its types.
    @inline(never)
    @usableFromInline
    final func breakUp() {
        if core.withLock({ $0.isWanted }) { core.settle(.failure(.brokenPromise(file: "\(file)", line: line))) }
    }

    /// Ends the future with `result`. False if it was resolved before, or cancelled.
    @discardableResult
    @inlinable
    public func resolve(_ result: Result<Value, Failure>) -> Bool {
        isKept.store(true, ordering: .relaxed)
        return core.settle(result, upTo: .open) != nil
    }

    /// Ends the future with `value`. False if it was resolved before, or cancelled.
    @discardableResult
    @inlinable
    public func succeed(_ value: Value) -> Bool { resolve(.success(value)) }

    /// Ends the future with `failure`. False if it was resolved before, or cancelled.
    @discardableResult
    @inlinable
    public func fail(_ failure: Failure) -> Bool { resolve(.failure(failure)) }

    /// Ends the future as `other` ends. From now on the promise is resolved, though its future may still be pending.
    /// False, with nothing changed, if it was resolved before, or its future cancelled.
    ///
    /// A promise told to follow its own future can never end, so that fails it as broken. One that follows what waits for
    /// it never ends.
    @discardableResult
    public func follow(_ other: Future<Value, Failure>) -> Bool {
        isKept.store(true, ordering: .relaxed)
        guard core.withLock({ $0.pledge() }) else { return false }
        if other.core === core { breakUp() } else { Trampoline.perform { core.follow(other.core) } }
        return true
    }

    /// Runs `handler` once if the future is cancelled, or if nothing depends on it any more; at once if that has already
    /// happened. Stop the work there. A handler must not hold the promise, which it would keep alive.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let waiter = Waiter<Result<Value, Failure>> { [core] _, _, _ in
            if core.withLock({ $0.isAbandoned }) { handler() }
        }
        core.attach(waiter, isDependent: false)
    }
}

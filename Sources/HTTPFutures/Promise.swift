import HTTPSupport
public import Synchronization

/// The writing end of a future.
///
/// The first resolution counts, from any thread; later ones do nothing. A promise that is released unresolved fails its
/// future with `brokenPromise` and the location where it was made.
///
/// Callbacks run on the resolving thread before `resolve` returns, unless that thread is already in a callback.
public final class Promise<Value: Sendable, Failure: FutureFailure>: Sendable {
    @usableFromInline let core: Future<Value, Failure>.Core
    /// Whether the promise was resolved.
    @usableFromInline let isKept = Atomic(false)
    @usableFromInline let file: StaticString
    @usableFromInline let line: Int

    /// A promise and its pending future. The error of a promise that is released unresolved names `file` and `line`.
    @inlinable
    public init(
        of value: Value.Type = Value.self, failure: Failure.Type = Failure.self, file: StaticString = #fileID,
        line: Int = #line
    ) {
        core = Future<Value, Failure>.Core.make()
        self.file = file
        self.line = line
    }

    /// The future that this promise resolves; always the same one.
    @inlinable public var future: Future<Value, Failure> { Future(core: core) }

    @inlinable
    deinit { if !isKept.load(ordering: .relaxed) { breakUp() } }

    /// A separate function, so that a resolved promise does not pay for the look-up of its types.
    @inline(never)
    @usableFromInline
    final func breakUp() {
        if core.withLock({ $0.isWanted }) { core.settle(.failure(.brokenPromise(file: "\(file)", line: line))) }
    }

    /// Ends the future with `result`. Returns false if it was already resolved or cancelled.
    @discardableResult
    @inlinable
    public func resolve(_ result: Result<Value, Failure>) -> Bool {
        isKept.store(true, ordering: .relaxed)
        return core.settle(result, upTo: .open) != nil
    }

    /// Ends the future with `value`. Returns false if it was already resolved or cancelled.
    @discardableResult
    @inlinable
    public func succeed(_ value: Value) -> Bool { resolve(.success(value)) }

    /// Ends the future with `failure`. Returns false if it was already resolved or cancelled.
    @discardableResult
    @inlinable
    public func fail(_ failure: Failure) -> Bool { resolve(.failure(failure)) }

    /// Ends the future when `other` ends, with its result. The promise is resolved from now on, although its future may
    /// still be pending. Returns false, with nothing changed, if it was already resolved or its future cancelled.
    ///
    /// A promise that follows its own future fails as broken. Promises that follow each other, directly or through
    /// derived futures, fail with `circularWait`, which names where they were made, if at most 1,000 futures lie between
    /// them.
    @discardableResult
    public func follow(_ other: Future<Value, Failure>) -> Bool {
        isKept.store(true, ordering: .relaxed)
        guard core.withLock({ $0.pledge() }) else { return false }
        if other.core === core { breakUp() } else { follow(other.core) }
        return true
    }

    private func follow(_ other: Future<Value, Failure>.Core) {
        let place = PromisePlace(file, line)
        Trampoline.perform { core.follow(other, at: place) }
    }

    /// Runs `handler` once when the future is cancelled or its last dependent leaves; at once if that has happened.
    /// Stop the work there. The handler must not hold the promise, which would keep it alive.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) {
        let waiter = Waiter<Result<Value, Failure>> { [core] _, _, _ in
            if core.withLock({ $0.isAbandoned }) { handler() }
        }
        core.attach(waiter, isDependent: false)
    }
}

import Synchronization

/// Cancels calls from another thread.
///
/// Cancellation belongs to a call, not to a request: run the call under a token, and cancel the token from anywhere.
///
///     let token = CancellationToken()
///     let result = token.run { client.executeRequest(request) }   // on this thread
///     token.cancel()                                              // on any other: `.failure(.cancelled)`
///
/// A token stays cancelled: every later call under it fails at once. All members may be used from any thread.
public final class CancellationToken: Sendable {
    /// The token of the calls on this thread, or in this task. `run` sets it; nested `run`s combine their tokens into
    /// one.
    @TaskLocal public static var current: CancellationToken?

    private let cancelled = Atomic(false)
    private let left = Atomic(false)
    /// Every call has a token, and most have one handler at a time. This slot needs neither a list nor an allocation.
    private let first = HandlerSlot()
    /// The handlers added while the slot was taken, all of them newer than the first.
    private let others = LazyLocked<HandlerList>()

    /// A new token, not cancelled.
    public init() {}

    /// Whether `cancel()` was called. It never becomes false again. Any thread may read it.
    public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Whether a cancellation means that nobody reads the body any more, which is no failure: what came is all that was
    /// wanted.
    package var isLeft: Bool { left.load(ordering: .acquiring) }

    /// To be followed by a cancellation.
    package func noteLeft() { left.store(true, ordering: .releasing) }

    /// Cancels every call under this token. Handlers run on this thread, each once. A second call does nothing.
    public func cancel() {
        // The flag is set before any handler runs, so that a woken call sees it.
        cancelled.store(true, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // A handler registered from now on sees the flag.
        first.takeAny()?()
        guard let others = others.ifMade else { return }
        for handler in others.withLock({ $0.removeAll() }) { handler() }
    }

    /// Runs `operation` under this token. Inside another token's `run`, cancelling either of them ends the calls.
    public func run<Value, Failure: Error>(_ operation: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let outer = Self.current, outer !== self else { return try bind(operation) }
        let either = CancellationToken()
        let registrations = [outer, self].map { token in
            token.onCancel {
                if token.isLeft { either.noteLeft() }
                either.cancel()
            }
        }
        defer { for registration in registrations { registration.remove() } }
        return try either.bind(operation)
    }

    private func bind<Value, Failure: Error>(_ operation: () throws(Failure) -> Value) throws(Failure) -> Value {
        try Self.$current.withValue(self) { Result(catching: operation) }.get()
    }

    /// Adds a handler that runs when the token is cancelled: on the cancelling thread, or at once if it already is. A
    /// handler may still be running on another thread when `remove` returns.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Registration {
        let id = add(handler)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // It was cancelled meanwhile. The thread that removes the entry from the list runs it, so it runs once.
        if isCancelled, remove(id) { handler() }
        return Registration(token: self, id: id)
    }

    /// A handler that was added to a token. Only `remove()` removes it, not releasing this value.
    public struct Registration: Sendable {
        fileprivate let token: CancellationToken
        fileprivate let id: UInt64

        /// Removes the handler, so that it does not run any more.
        public func remove() { token.remove(id) }
    }

    private func add(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        if others.ifMade == nil, let id = first.put(handler) { return id }
        return others.make(HandlerList()).withLock { $0.add(handler) }
    }

    @discardableResult
    private func remove(_ id: UInt64) -> Bool {
        // The handler is returned and released outside the lock: its deinitializers may run any code.
        if HandlerSlot.isOne(id) { return first.take(id) != nil }
        return others.ifMade?.withLock { $0.remove(id) } != nil
    }
}

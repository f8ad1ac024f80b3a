import Synchronization

/// Ends a call from another thread.
///
/// Cancellation belongs to a call, not to a request: bind a token around the call, keep it, cancel it from anywhere.
///
///     let token = CancellationToken()
///     let result = token.run { client.executeRequest(request) }   // on this thread
///     token.cancel()                                              // on any other: `.failure(.cancelled)`
///
/// A token stays cancelled: every later call under it fails at once. All members may be used from any thread.
public final class CancellationToken: Sendable {
    /// The token that calls on this thread, or in this task, listen to. Bound by `run`; within nested ones it is a token
    /// that follows all of theirs.
    @TaskLocal public static var current: CancellationToken?

    private let cancelled = Atomic(false)
    /// Each call has a token, and most have one handler at a time: that one needs no list, and no allocation.
    private let first = HandlerSlot()
    /// Those added while there was another, all of them newer than the first.
    private let others = LazyLocked<HandlerList>()

    /// A token that is not cancelled and under which no call runs yet.
    public init() {}

    /// Whether `cancel()` was called. From any thread; it never turns false again.
    public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Ends every call under this token. Handlers run on this thread, each once; a second call does nothing.
    public func cancel() {
        // The flag is up before anyone is woken: a call that wakes and looks must see it.
        cancelled.store(true, ordering: .sequentiallyConsistent)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // A handler registered from now on sees the flag.
        first.takeAny()?()
        guard let others = others.ifMade else { return }
        for handler in others.withLock({ $0.removeAll() }) { handler() }
    }

    /// Runs `operation` under this token. Within another token's `run` both count: calls end when either is cancelled.
    public func run<Value, Failure: Error>(_ operation: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let outer = Self.current, outer !== self else { return try bind(operation) }
        let either = CancellationToken()
        let registrations = [outer, self].map { $0.onCancel { either.cancel() } }
        defer { for registration in registrations { registration.remove() } }
        return try either.bind(operation)
    }

    private func bind<Value, Failure: Error>(_ operation: () throws(Failure) -> Value) throws(Failure) -> Value {
        try Self.$current.withValue(self) { Result(catching: operation) }.get()
    }

    /// Has `handler` run when the token is cancelled: on the cancelling thread, or here and now if it already is.
    /// A handler may still be running on another thread when `remove` returns.
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Registration {
        let id = add(handler)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        // Cancelled meanwhile: the thread that removes the entry from the list runs it, so it runs once.
        if isCancelled, remove(id) { handler() }
        return Registration(token: self, id: id)
    }

    /// A handler that was added to a token. Dropping it removes nothing; `remove()` does.
    public struct Registration: Sendable {
        fileprivate let token: CancellationToken
        fileprivate let id: UInt64

        /// Has the handler not run any more.
        public func remove() { token.remove(id) }
    }

    private func add(_ handler: @escaping @Sendable () -> Void) -> UInt64 {
        if others.ifMade == nil, let id = first.put(handler) { return id }
        return others.make(HandlerList()).withLock { $0.add(handler) }
    }

    @discardableResult
    private func remove(_ id: UInt64) -> Bool {
        // The handler is returned, to be released outside the lock: its deinitializers may run any code.
        if HandlerSlot.isOne(id) { return first.take(id) != nil }
        return others.ifMade?.withLock { $0.remove(id) } != nil
    }
}

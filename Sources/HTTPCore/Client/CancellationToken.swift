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
    private let handlers = Locked(Handlers())

    private struct Handlers {
        var nextID: UInt64 = 0
        var entries: [(id: UInt64, handler: @Sendable () -> Void)] = []
    }

    public init() {}

    public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Ends every call under this token. Handlers run on this thread, each once; a second call does nothing.
    public func cancel() {
        // The flag is up before anyone is woken: a call that wakes and looks must see it.
        cancelled.store(true, ordering: .sequentiallyConsistent)
        for entry in handlers.withLock({ exchange(&$0.entries, []) }) { entry.handler() }
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
        let id = handlers.withLock { handlers in
            handlers.nextID += 1
            handlers.entries.append((handlers.nextID, handler))
            return handlers.nextID
        }
        // Cancelled in the meantime: whoever takes the entry out of the list runs it, so that it runs once.
        if isCancelled, remove(id) { handler() }
        return Registration(token: self, id: id)
    }

    public struct Registration: Sendable {
        fileprivate let token: CancellationToken
        fileprivate let id: UInt64

        /// Has the handler not run any more.
        public func remove() { token.remove(id) }
    }

    @discardableResult
    private func remove(_ id: UInt64) -> Bool {
        // The handler is returned so that it goes after the lock: what it holds may run foreign code then.
        let removed: (@Sendable () -> Void)? = handlers.withLock { handlers in
            guard let place = handlers.entries.firstIndex(where: { $0.id == id }) else { return nil }
            return handlers.entries.remove(at: place).handler
        }
        return removed != nil
    }
}

private func exchange<Value>(_ place: inout Value, _ value: Value) -> Value {
    defer { place = value }
    return place
}

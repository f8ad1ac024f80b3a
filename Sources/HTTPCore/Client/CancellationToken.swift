import HTTPSupport
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
    private let state = Locked(State())

    private struct State {
        var handlers = HandlerList()
        /// The tokens that are cancelled with this one, by their numbers among them.
        var children: [Int: Child] = [:]
        var childCount = 0
        /// The tokens that this one is cancelled with, and its number there.
        var parents: [Parent] = []
    }

    private struct Child {
        weak let token: CancellationToken?
    }

    private struct Parent {
        var token: CancellationToken
        let number: Int
    }

    /// A handler on its way out of the lock. A bare closure would be wrapped in another one.
    private struct Removed {
        let handler: HandlerList.Handler?
    }

    /// A new token, not cancelled.
    public init() {}

    /// A token that is cancelled with either of the two. They do not keep it: whoever still has it when `run` has returned
    /// is a call or a task that goes on.
    private convenience init(_ first: CancellationToken, or second: CancellationToken) {
        self.init()
        for parent in [first, second] {
            if let number = parent.adopt(self) {
                state.withLock { $0.parents.append(Parent(token: parent, number: number)) }
            } else {
                if parent.isLeft { noteLeft() }
                cancel()
            }
        }
    }

    /// Nil if this token is cancelled. The flag is read under the lock: whoever sets it later takes the lock later.
    private func adopt(_ child: CancellationToken) -> Int? {
        state.withLock { state in
            guard !isCancelled else { return nil }
            state.childCount += 1
            state.children[state.childCount] = Child(token: child)
            return state.childCount
        }
    }

    // A loop, as `cancel` is: tasks that begin one another, each under a token of its own, leave a long chain.
    deinit {
        var left = leaveParents()
        while var parent = left.popLast() {
            if isKnownUniquelyReferenced(&parent.token) { left += parent.token.leaveParents() }
        }
    }

    private func leaveParents() -> [Parent] {
        let parents = state.withLock { exchange(&$0.parents, with: []) }
        for parent in parents { _ = parent.token.state.withLock { $0.children.removeValue(forKey: parent.number) } }
        return parents
    }

    /// Whether `cancel()` was called. It never becomes false again. Any thread may read it.
    public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    /// Whether a cancellation means that nobody reads the body any more, which is no failure: what came is all that was
    /// wanted.
    package var isLeft: Bool { left.load(ordering: .acquiring) }

    /// To be followed by a cancellation.
    package func noteLeft() { left.store(true, ordering: .releasing) }

    /// Cancels every call under this token. Handlers run on this thread, each once, in the order in which they were added,
    /// and those of tokens within this one behind them. A second call does nothing.
    public func cancel() {
        var due = [self]
        while let token = due.popLast() {
            // The flag is set before any handler runs, so that a woken call sees it.
            token.cancelled.store(true, ordering: .releasing)
            let (handlers, children) = token.state.withLock {
                ($0.handlers.removeAll(), exchange(&$0.children, with: [:]))
            }
            for handler in handlers { handler() }
            // The first of them is the next.
            for child in children.sorted(by: { $0.key > $1.key }).compactMap(\.value.token) {
                if token.isLeft { child.noteLeft() }
                due.append(child)
            }
        }
    }

    /// Runs `operation` under this token. Inside another token's `run`, cancelling either of them ends the calls, also
    /// those that go on when `run` has returned: with a callback, as a future, in a task.
    public func run<Value, Failure: Error>(_ operation: () throws(Failure) -> Value) throws(Failure) -> Value {
        try Self.$current.withValue(nested) { Result(catching: operation) }.get()
    }

    /// This token, or within another one a token that is cancelled with either.
    package var nested: CancellationToken {
        guard let outer = Self.current, outer !== self else { return self }
        return CancellationToken(outer, or: self)
    }

    /// Adds a handler that runs when the token is cancelled: on the cancelling thread, or at once if it already is. A
    /// handler may still be running on another thread when `remove` returns.
    @discardableResult
    public func onCancel(_ handler: @escaping @Sendable () -> Void) -> Registration {
        // The flag is read under the lock: whoever sets it later takes the lock later, and finds the handler.
        let id = state.withLock { isCancelled ? nil : $0.handlers.add(handler) }
        if id == nil { handler() }
        return Registration(token: self, id: id)
    }

    /// A handler that was added to a token. Only `remove()` removes it, not releasing this value.
    public struct Registration: Sendable {
        fileprivate let token: CancellationToken
        /// Nil if it ran at once.
        fileprivate let id: UInt64?

        /// Removes the handler, so that it does not run any more.
        public func remove() {
            guard let id else { return }
            // It is returned and released outside the lock: its deinitializers may run any code.
            withExtendedLifetime(token.state.withLock { Removed(handler: $0.handlers.remove(id)) }) {}
        }
    }
}

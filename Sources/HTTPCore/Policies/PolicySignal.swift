import HTTPSupport

/// An event that calls wait for and that other code makes happen: a token is there, a response is stored, a limit is off.
///
/// A policy makes one, keeps it where the other side finds it, and waits for it:
///
///     let signal = PolicySignal()                                    // in an object that several calls share
///     …
///     return .wait(for: signal, because: .authorizing)               // in each call that waits
///     …
///     signal.fire()                                                  // once, from anywhere
///
/// It happens once and for all: what comes after `fire()` does not wait. So nothing is lost between a look at the shared
/// state and the wait; what has a next time has a next signal. Set the outcome before you fire.
public final class PolicySignal: Sendable {
    private struct State {
        var isFired = false
        var callbacks = HandlerList()
    }

    private let state = Locked(State())

    /// A signal that has not been fired.
    public init() {}

    /// Whether it has been fired.
    public var isFired: Bool { state.withLock { $0.isFired } }

    /// Ends all waits for it, the later ones too, in the order in which they began. It may be called from any thread and any
    /// number of times. No policy runs on this thread because of it, unless the call of that policy is here.
    public func fire() {
        let callbacks = state.withLock { state in
            state.isFired = true
            return state.callbacks.removeAll()
        }
        for callback in callbacks { callback() }
    }

    /// The number of waits for it.
    package var waitCount: Int { state.withLock { $0.callbacks.count } }

    /// A driver's interest in it.
    package struct Subscription: Sendable {
        fileprivate let signal: PolicySignal
        /// Nil if its callback ran at once.
        fileprivate let id: UInt64?

        package func cancel() {
            guard let id else { return }
            withExtendedLifetime(signal.state.withLock { $0.callbacks.remove(id) }) {}
        }
    }

    /// Calls `callback` once: when it is fired, on that thread, or now if it has been.
    package func subscribe(_ callback: @escaping @Sendable () -> Void) -> Subscription {
        let id = state.withLock { $0.isFired ? nil : $0.callbacks.add(callback) }
        if id == nil { callback() }
        return Subscription(signal: self, id: id)
    }
}

/// The outcome of what one call does for several, and the signal that it is there. Copies share both.
package struct SharedOutcome<Value: Sendable>: Sendable {
    package let signal = PolicySignal()
    private let state = Locked<Value?>(nil)

    package init() {}

    /// Nil before its end.
    package var value: Value? { state.withLock { $0 } }

    /// The first one counts.
    package func set(_ value: Value) {
        state.withLock { $0 = $0 ?? value }
        signal.fire()
    }
}

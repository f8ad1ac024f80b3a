import HTTPSupport

/// Runs callbacks one after the other on a thread, and one inside another only if that one waits. The stack does not
/// grow with the length of a chain, and a callback that resolves or registers finishes before the callbacks that it
/// causes.
///
/// The outermost call on a thread runs the due callbacks of all futures in turn; inner calls add to them. A callback
/// sees none of the task-local values of the code that caused it.
@usableFromInline
final class Trampoline {
    /// Calls the next callback of a future; false if there is none. A struct, because a bare closure would be wrapped
    /// again as an element of an array.
    private struct Turn: Sendable {
        let take: @Sendable () -> Bool
    }

    private static let ofThread = PerThread { Trampoline() }

    // Unchecked: only this thread uses it, never during a change, and the check costs more than the change.
    @exclusivity(unchecked) private var isRunning = false
    /// The last one is running.
    @exclusivity(unchecked) private var ready: [Turn] = []
    /// Run after all that are ready, in this order.
    @exclusivity(unchecked) private var later: [Turn] = []

    /// Calls `turn` until it returns false: now, or after the callback that is running.
    @usableFromInline static func schedule(_ turn: @escaping @Sendable () -> Bool) {
        let here = ofThread.object
        here.later.append(Turn(take: turn))
        if !here.isRunning { here.run() }
    }

    /// Runs `body` and then the callbacks it caused; if a callback is running, they run after that one.
    static func perform(_ body: () -> Void) { performIfIdle(body) ?? body() }

    /// The same for code that must not be delayed: the callbacks run on another thread.
    static func performPromptly(_ body: () -> Void) {
        guard let here = enterIfIdle() else { return body() }
        body()
        let due = here.later
        (here.later, here.isRunning) = ([], false)
        guard !due.isEmpty else { return }
        Dispatcher.shared.runCallback { perform { for turn in due { schedule(turn.take) } } }
    }

    /// Like `perform`, but returns nil instead of running `body` within a callback.
    @inlinable static func performIfIdle<Value>(_ body: () -> Value) -> Value? {
        guard let here = enterIfIdle() else { return nil }
        defer { here.run() }
        return body()
    }

    @usableFromInline static func enterIfIdle() -> Trampoline? {
        let here = ofThread.object
        if here.isRunning { return nil }
        here.isRunning = true
        return here
    }

    /// Runs the due callbacks of this thread until `isOver`, since a thread that is about to block may have to set the
    /// result that it waits for.
    static func help(until isOver: @escaping @Sendable () -> Bool) { ofThread.object.drain(until: isOver) }

    @usableFromInline func run() {
        isRunning = true
        drain { false }
        isRunning = false
    }

    private func drain(until isOver: @escaping @Sendable () -> Bool) {
        guard !ready.isEmpty || !later.isEmpty else { return }
        // It runs on this thread, and so finds this object again, unless the thread could not keep it.
        guard Trampoline.ofThread.object === self else { return takeTurns(until: isOver) }
        Surroundings.leave { Trampoline.ofThread.object.takeTurns(until: isOver) }
    }

    private func takeTurns(until isOver: () -> Bool) {
        while !isOver() {
            if ready.isEmpty {
                swap(&ready, &later)
                ready.reverse()
            }
            guard let turn = ready.last else { return }
            // A waiting callback may have finished this turn and others; then another is next.
            if !turn.take() { _ = ready.popLast() }
        }
    }
}

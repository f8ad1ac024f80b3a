import Dispatch
import HTTPAsync
import HTTPCore

/// Runs callbacks one after the other on a thread, and one inside another only if that one waits: so the stack does not
/// grow with the length of a chain, and a callback that resolves or registers sees its own code finish first.
///
/// The outermost call on a thread goes through the futures whose callbacks are due, one after the other; calls inside that
/// one add to them. None of them sees the surroundings of the code that happened to set it off.
@usableFromInline
final class Trampoline {
    /// Calls the next callback of a future; false if there is none left. A struct, for as the element of an array a bare
    /// closure would be wrapped in another.
    private struct Turn: Sendable {
        let take: @Sendable () -> Bool
    }

    private static let ofThread = PerThread { Trampoline() }

    /// Nil for a thread of no dispatcher.
    private let dispatcherThread = DispatcherThread.current

    // Only this thread comes here, and never into the middle of a change: to check that takes longer than the change.
    @exclusivity(unchecked) private var isRunning = false
    /// The last is on.
    @exclusivity(unchecked) private var ready: [Turn] = []
    /// These come after all that are ready, in this order.
    @exclusivity(unchecked) private var later: [Turn] = []

    /// Has `turn` taken until it returns false: now, or after the callback that is running.
    @usableFromInline static func schedule(_ turn: @escaping @Sendable () -> Bool) {
        let here = ofThread.object
        here.later.append(Turn(take: turn))
        if !here.isRunning { here.run() }
    }

    /// Runs `body`, and then the callbacks it gave rise to, unless a callback is running: then they come after that.
    static func perform(_ body: () -> Void) { performIfIdle(body) ?? body() }

    /// The same where nothing may be held up: the callbacks run on another thread.
    static func performPromptly(_ body: () -> Void) {
        guard let here = enterIfIdle() else { return body() }
        body()
        let due = here.later
        (here.later, here.isRunning) = ([], false)
        // A queue of its own gets a thread also while all of the global queue's are blocked.
        DispatchQueue(label: "straightline.callbacks").async { perform { for turn in due { schedule(turn.take) } } }
    }

    /// The same as `perform`, but returns nil instead of running `body` within a callback.
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

    /// Runs what this thread owes until `isOver`: a thread about to block must not owe what it waits for.
    static func help(until isOver: () -> Bool) { ofThread.object.drain(until: isOver) }

    @usableFromInline func run() {
        isRunning = true
        drain { false }
        isRunning = false
    }

    /// Apart from what the code here has bound around its calls: a callback must neither end with them, nor be late by their
    /// deadline, nor have its calls made in the middle of them.
    private func drain(until isOver: () -> Bool) {
        guard !ready.isEmpty || !later.isEmpty else { return }
        guard let dispatcherThread else { return leaveBindings(until: isOver) }
        dispatcherThread.leaveCall { leaveBindings(until: isOver) }
    }

    private func leaveBindings(until isOver: () -> Bool) {
        guard CancellationToken.current != nil || CallDeadline.current != nil else { return takeTurns(until: isOver) }
        CancellationToken.$current.withValue(nil) {
            CallDeadline.$current.withValue(nil) { takeTurns(until: isOver) }
        }
    }

    private func takeTurns(until isOver: () -> Bool) {
        while !isOver() {
            if ready.isEmpty {
                swap(&ready, &later)
                ready.reverse()
            }
            guard let turn = ready.last else { return }
            // A callback that waits may have finished this turn, and others; then another one is next.
            if !turn.take() { _ = ready.popLast() }
        }
    }
}

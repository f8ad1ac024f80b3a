import HTTPCore

/// Runs callbacks one after the other on a thread, and one inside another only if that one waits: so the stack does not
/// grow with the length of a chain, and a callback that resolves or registers sees its own code finish first.
///
/// The outermost call on a thread goes through the futures whose callbacks are due, one after the other; calls inside that
/// one add to them.
@usableFromInline
final class Trampoline {
    /// Calls the next callback of a future; false if there is none left. A struct, for as the element of an array a bare
    /// closure would be wrapped in another.
    private struct Turn {
        let take: () -> Bool
    }

    private static let ofThread = PerThread { Trampoline() }

    // Only this thread comes here, and never into the middle of a change: to check that takes longer than the change.
    @exclusivity(unchecked) private var isRunning = false
    /// The last is on.
    @exclusivity(unchecked) private var ready: [Turn] = []
    /// These come after all that are ready, in this order.
    @exclusivity(unchecked) private var later: [Turn] = []

    /// Has `turn` taken until it returns false: now, or after the callback that is running.
    @usableFromInline static func schedule(_ turn: @escaping () -> Bool) {
        let here = ofThread.object
        here.later.append(Turn(take: turn))
        if !here.isRunning { here.run() }
    }

    /// Runs `body`, and then the callbacks it gave rise to, unless a callback is running: then they come after that.
    static func perform(_ body: () -> Void) { performIfIdle(body) ?? body() }

    /// The same, but returns nil instead of running `body` within a callback.
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

    private func drain(until isOver: () -> Bool) {
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

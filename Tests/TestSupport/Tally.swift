import HTTPSupport
import HTTPCore

/// Counts events; a thread can wait for a number of them.
package final class Tally: Sendable {
    private struct State {
        var count = 0
        var waiting: [(count: Int, signal: Signal)] = []
    }

    private let state = Locked(State())

    package init() {}

    package var count: Int { state.withLock { $0.count } }

    @discardableResult
    package func add() -> Int {
        let (count, due) = state.withLock { state in
            state.count += 1
            let due = state.waiting.filter { [count = state.count] in $0.count <= count }.map(\.signal)
            return (state.count, due)
        }
        for signal in due { signal.fire() }
        return count
    }

    /// False after 30 seconds: the test is then about to fail.
    @discardableResult
    package func wait(for count: Int) -> Bool {
        let signal = Signal()
        let isThere = state.withLock { state in
            state.waiting.append((count, signal))
            return state.count >= count
        }
        return isThere || signal.wait(until: .now + .seconds(30))
    }
}

/// Entries in the order of their events.
package final class Notes<Entry: Sendable>: Sendable {
    private let entries = Locked<[Entry]>([])

    package init() {}

    package var all: [Entry] { entries.withLock { $0 } }
    package func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}

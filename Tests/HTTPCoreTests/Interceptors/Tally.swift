import HTTPCore

/// Counts what happens; a thread can block until it has happened so many times.
final class Tally: Sendable {
    private struct State {
        var count = 0
        var waiting: [(count: Int, signal: Signal)] = []
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }

    @discardableResult
    func add() -> Int {
        let (count, due) = state.withLock { state in
            state.count += 1
            let due = state.waiting.filter { [count = state.count] in $0.count <= count }.map(\.signal)
            return (state.count, due)
        }
        for signal in due { signal.fire() }
        return count
    }

    /// False if it has not within 30 seconds: then the test is about to fail.
    @discardableResult
    func wait(for count: Int) -> Bool {
        let signal = Signal()
        let isThere = state.withLock { state in
            state.waiting.append((count, signal))
            return state.count >= count
        }
        return isThere || signal.wait(until: .now + .seconds(30))
    }
}

/// What came about, in order.
final class Notes<Entry: Sendable>: Sendable {
    private let entries = Locked<[Entry]>([])
    var all: [Entry] { entries.withLock { $0 } }
    func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}

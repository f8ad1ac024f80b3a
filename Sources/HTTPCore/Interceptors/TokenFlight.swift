/// One refresh and those who wait for it.
final class TokenFlight: Sendable {
    typealias Outcome = Result<TokenLedger.Entry, HTTPError>

    /// What was current when it began.
    let generation: Int
    private let state = Locked(State())

    private struct State {
        var outcome: Outcome?
        var waiting: [UInt64: PolicyWaker] = [:]
        var nextID: UInt64 = 0
    }

    /// Somebody who waits.
    struct Place {
        let flight: TokenFlight
        fileprivate let id: UInt64

        func leave() { flight.state.withLock { _ = $0.waiting.removeValue(forKey: id) } }
    }

    init(generation: Int) { self.generation = generation }

    /// How many wait, besides the one who refreshes.
    var waiting: Int { state.withLock { max(0, $0.waiting.count - 1) } }

    /// What it came to; nil as long as it is under way.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Has `waker` wake when it is over: at once if it is.
    func join(_ waker: PolicyWaker) -> Place {
        let (id, isOver) = state.withLock { state in
            state.nextID += 1
            if state.outcome == nil { state.waiting[state.nextID] = waker }
            return (state.nextID, state.outcome != nil)
        }
        if isOver { waker.wake() }
        return Place(flight: self, id: id)
    }

    /// Wakes all who wait.
    func land(_ outcome: Outcome) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for waker in waiting { waker.wake() }
    }
}

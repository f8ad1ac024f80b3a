/// One refresh and its waiters.
final class TokenFlight: Sendable {
    typealias Outcome = Result<TokenLedger.Entry, HTTPError>

    /// The token generation that was current when it began.
    let generation: Int
    private let state = Locked(State())

    private struct State {
        var outcome: Outcome?
        var waiting = PolicyWaiters()
    }

    /// A waiter.
    struct Place {
        let flight: TokenFlight
        fileprivate let id: UInt64

        func leave() { flight.state.withLock { $0.waiting.remove(id) } }
    }

    init(generation: Int) { self.generation = generation }

    /// The number of waiters, besides the call that refreshes.
    var waiting: Int { state.withLock { max(0, $0.waiting.count - 1) } }

    /// Its result; nil while it runs.
    var outcome: Outcome? { state.withLock { $0.outcome } }

    /// Wakes `waker` when it is over; at once if it already is.
    func join(_ waker: PolicyWaker) -> Place {
        let (id, isOver) = state.withLock { state in
            let isOver = state.outcome != nil
            return (state.waiting.add(waker, isOver: isOver), isOver)
        }
        if isOver { waker.wake() }
        return Place(flight: self, id: id)
    }

    /// Wakes all waiters.
    func land(_ outcome: Outcome) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            return state.waiting.takeAll()
        }
        for waker in waiting { waker.wake() }
    }
}

/// One refresh and those who wait for it.
final class TokenFlight: Sendable {
    typealias Outcome = Result<TokenLedger.Entry, HTTPError>

    /// What was current when it began.
    let generation: Int
    private let state = Locked(State())

    private struct State {
        var outcome: Outcome?
        var waiting: [UInt64: Signal] = [:]
        var nextID: UInt64 = 0
    }

    init(generation: Int) { self.generation = generation }

    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Wakes all who wait.
    func land(_ outcome: Outcome) {
        let waiting = state.withLock { state in
            state.outcome = outcome
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for signal in waiting { signal.fire() }
    }

    /// Blocks until it is over, or until the call is.
    func outcome(for call: CallContext, attempts: Int) -> Outcome {
        let signal = Signal()
        let place = state.withLock { state in
            guard state.outcome == nil else { return nil as UInt64? }
            state.nextID += 1
            state.waiting[state.nextID] = signal
            return state.nextID
        }
        guard let place else { return landed(call, attempts) }
        defer { state.withLock { _ = $0.waiting.removeValue(forKey: place) } }
        switch call.clock.wait(for: signal, until: call.deadline?.instant) {
        case .cancelled: return .failure(call.cancelled(.authorizing, attempts: attempts))
        case .elapsed: return .failure(call.timedOut(.authorizing, attempts: attempts))
        case .signalled: return landed(call, attempts)
        }
    }

    /// What it came to. It has: only one who was woken by it, or came after, asks.
    private func landed(_ call: CallContext, _ attempts: Int) -> Outcome {
        state.withLock { $0.outcome } ?? .failure(call.cancelled(.authorizing, attempts: attempts))
    }
}

import HTTPSupport

/// Holds calls until a test releases them, to test the state of an app meanwhile.
///
///     let gate = StubGate()
///     let stub = StubClient().on(.get, "/notes", answer: .json(notes).held(by: gate))
///     …                                   // start the call on another thread, or in a task
///     try stub.waitForRequestCount(1)     // it has arrived
///     gate.release()                      // and gets its answer
///
/// Awaited calls and callbacks run on a dispatcher, which by default makes 8 concurrent calls to one host. A test that
/// holds more must give the code under test a dispatcher with a larger `runningPerHost`.
///
/// A held call also ends when it is cancelled, or when `SimulatedTime.advance(by:)` makes it time out. Any thread may
/// use it, for any number of calls.
public final class StubGate: Sendable {
    private struct State {
        var isReleased = false
        var signals: [Int: Signal] = [:]
        var lastID = 0
    }

    private let state = Locked(State())

    /// A closed gate.
    public init() {}

    /// Releases every call, waiting and future ones.
    public func release() {
        let signals = state.withLock { state in
            state.isReleased = true
            defer { state.signals = [:] }
            return Array(state.signals.values)
        }
        for signal in signals { signal.fire() }
    }

    /// Whether `release()` was called.
    public var isReleased: Bool { state.withLock { $0.isReleased } }

    /// The number of waiting calls.
    public var waiting: Int { state.withLock { $0.signals.count } }

    /// Fires the signal when it is released.
    func add(_ signal: Signal) -> Int {
        let (id, isReleased) = state.withLock { state in
            state.lastID += 1
            if !state.isReleased { state.signals[state.lastID] = signal }
            return (state.lastID, state.isReleased)
        }
        if isReleased { signal.fire() }
        return id
    }

    func remove(_ id: Int) { state.withLock { state in _ = state.signals.removeValue(forKey: id) } }
}

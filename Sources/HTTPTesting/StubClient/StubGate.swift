import HTTPSupport

/// Holds calls until a test releases them, to test the state of an app meanwhile.
///
///     let gate = StubGate()
///     let stub = StubClient().on(.get, "/notes", answer: .json(notes).held(by: gate))
///     …                                   // start the call on another thread, or in a task
///     try stub.wait(for: .requests(1))     // it has arrived
///     gate.release()                      // and gets its answer
///
/// Of awaited calls and callbacks 1,000 may be held at once. If the code under test has a dispatcher of its own, the
/// limits of that one hold, 8 calls to one host by default: a test that holds more needs a larger `runningPerHost`.
///
/// A held call also ends when it is cancelled, or when `SimulatedTime.advance(by:)` makes it time out. Any thread may
/// use it, for any number of calls.
public final class StubGate: Sendable {
    private let signal = PolicySignal()

    /// A closed gate.
    public init() {}

    /// Releases every call, waiting and future ones.
    public func release() { signal.fire() }

    /// Whether `release()` was called.
    public var isReleased: Bool { signal.isFired }

    /// The number of waiting calls.
    public var waiting: Int { signal.waitCount }

    /// Fires the signal when it is released.
    func add(_ signal: Signal) -> PolicySignal.Subscription { self.signal.subscribe { signal.fire() } }
}

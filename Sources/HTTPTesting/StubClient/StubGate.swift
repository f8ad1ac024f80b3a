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

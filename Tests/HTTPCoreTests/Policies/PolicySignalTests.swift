import HTTPCore
import Testing

@Suite struct PolicySignalTests {
    @Test func `what a cancelled subscription held may use the signal in its deinitializer`() {
        let signal = PolicySignal()
        let subscription = signal.subscribe { [probe = Probe(signal)] in withExtendedLifetime(probe) {} }
        subscription.cancel()
        #expect(signal.waitCount == 0)
        #expect(signal.isFired)
    }
}

/// Fires a signal when it is deinitialized.
private final class Probe: Sendable {
    private let signal: PolicySignal

    init(_ signal: PolicySignal) { self.signal = signal }

    deinit { signal.fire() }
}

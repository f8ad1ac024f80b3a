import HTTPSupport
import HTTPCore
import Synchronization
import Testing

import HTTPAsync

/// A system that is slow to refuse a thread, and the events meanwhile.
@Suite(.timeLimit(.minutes(5))) struct RefusedThreadTests {
    /// Refuses the second thread when `isDue` returns.
    private func dispatcher(refusingWhen isDue: @escaping @Sendable () -> Void) -> Dispatcher {
        let asked = Atomic(0)
        return Dispatcher.starting(Dispatcher.Configuration(running: 4, runningPerHost: 4, idleTime: .seconds(1))) {
            body in
            guard asked.add(1, ordering: .relaxed).newValue == 2 else {
                return Dispatcher.startThread(body)
            }
            isDue()
            return false
        }
    }

    @Test func `a thread that becomes idle meanwhile takes the returned call`() async {
        let (first, isIdle, second) = (Event(), Event(), Event())
        let dispatcher = dispatcher {
            first.signal()
            isIdle.block()
        }
        dispatcher.submit({ () -> Result<Int, HTTPError> in
            first.block()
            return .success(1)
        }) { _ in isIdle.signal() }
        dispatcher.submit({ .success(2) }) { _ in second.signal() }
        await second.happened()
    }

    @Test func `a call that is cancelled while its thread is refused is cancelled, and never runs`() async {
        let (asked, refusal, gate, told) = (Event(), Event(), Event(), Event())
        let dispatcher = dispatcher {
            asked.signal()
            refusal.block()
        }
        let outcome = Locked<Result<Int, HTTPError>?>(nil)
        dispatcher.submit({ () -> Result<Int, HTTPError> in
            gate.block()
            return .success(1)
        }) { _ in }
        let token = CancellationToken()
        let submitting = Dispatcher.startThread {
            token.run {
                _ = dispatcher.submit({ () -> Result<Int, HTTPError> in .success(2) }) { result in
                    outcome.withLock { $0 = result }
                    told.signal()
                }
            }
        }
        #expect(submitting)
        await asked.happened()
        token.cancel()
        refusal.signal()
        await told.happened()
        gate.signal()
        guard case .failure(.cancelled) = outcome.withLock({ $0 }) else {
            Issue.record("ended as \(String(describing: outcome.withLock { $0 }))")
            return
        }
    }

    @Test func `an idle thread retains nothing of its last call`() async {
        let dispatcher = Dispatcher(Dispatcher.Configuration(running: 4, runningPerHost: 4, idleTime: .seconds(60)))
        for _ in 0..<2 {
            let gone = Event()
            do {
                let probe = Probe { gone.signal() }
                dispatcher.submit({ () -> Result<Int, HTTPError> in withExtendedLifetime(probe) { .success(1) } }) {
                    _ in
                }
            }
            await gone.happened()
        }
    }
}

/// Reports its deinitialization.
private final class Probe: Sendable {
    private let onDeinit: @Sendable () -> Void

    init(_ onDeinit: @escaping @Sendable () -> Void) { self.onDeinit = onDeinit }

    deinit { onDeinit() }
}

import Dispatch
import HTTPSupport

/// A counting semaphore for the threads of a pool. It starts at zero.
package struct Semaphore: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func signal() { semaphore.signal() }

    /// Waits for a signal; nil waits without a limit. False if there was none in time.
    @discardableResult
    package func wait(atMost time: Duration? = nil) -> Bool {
        if let system = ThreadSystem.current {
            return system.wait(until: time.map { system.now + $0 }) { isSignalled() }
        }
        return semaphore.wait(timeout: time.map { .now() + $0.interval } ?? .distantFuture) == .success
    }

    /// At once: `.now()` is a time, for which it would sleep, and a world asks with each step.
    private func isSignalled() -> Bool { semaphore.wait(timeout: DispatchTime(uptimeNanoseconds: 0)) == .success }
}

extension Duration {
    /// For waits of Dispatch; very long durations are clamped.
    package var interval: DispatchTimeInterval {
        guard self < .seconds(1_000_000_000) else { return .never }
        let (seconds, attoseconds) = max(self, .zero).components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}

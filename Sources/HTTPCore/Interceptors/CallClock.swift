#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What interceptors know of time, and how they let it pass: the system's clock, or one that a test moves on.
package struct CallClock: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// For how long something takes.
    package let now: @Sendable () -> Instant
    /// Seconds since 1970, for what servers write as a date.
    package let unixTime: @Sendable () -> Double
    /// Sleeps until the signal fires or the time is there; nil is for ever. Whether the signal has fired.
    package let sleep: @Sendable (Signal, Instant?) -> Bool

    package init(
        now: @escaping @Sendable () -> Instant, unixTime: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Signal, Instant?) -> Bool
    ) {
        self.now = now
        self.unixTime = unixTime
        self.sleep = sleep
    }

    package static let system = CallClock(
        now: { .now }, unixTime: { Date().timeIntervalSince1970 }, sleep: { signal, end in signal.wait(until: end) })

    package enum WaitEnding: Sendable, Hashable {
        /// What was waited for has happened.
        case signalled
        /// The time was over first.
        case elapsed
        /// The call's token was cancelled first.
        case cancelled
    }

    /// Blocks this thread until `signal` fires, until `end`, or until `CancellationToken.current` is cancelled, which
    /// wakes it at once. Nothing is polled. `signal` is for one who waits: it fires, too, when that call is cancelled.
    package func wait(for signal: Signal = Signal(), until end: Instant?) -> WaitEnding {
        let token = CancellationToken.current
        let registration = token?.onCancel { signal.fire() }
        defer { registration?.remove() }
        let hasFired = sleep(signal, end)
        if let token, token.isCancelled { return .cancelled }
        return hasFired ? .signalled : .elapsed
    }
}

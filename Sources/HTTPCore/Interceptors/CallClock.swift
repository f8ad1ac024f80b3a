#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What interceptors know of time, and how they let it pass: the system's clock, or one that a test moves on.
package final class CallClock: Sendable {
    /// For how long something takes.
    package let now: @Sendable () -> TimePoint
    /// Seconds since 1970, for what servers write as a date.
    package let unixTime: @Sendable () -> Double
    /// Sleeps until the signal fires or one of the two times has come, and says whether the signal has fired. The first is
    /// what is waited for, nil for another call; the second is the deadline of the call, nil for none. In simulated time
    /// only the first makes time pass.
    package let sleep: @Sendable (Signal, TimePoint?, TimePoint?) -> Bool
    /// Whether its points in time are none of the system's clock, although a deadline around a call may be.
    package let isSimulated: Bool
    /// Whether it is the system's: then others than a thread may wait by it.
    package let isSystem: Bool

    package init(
        now: @escaping @Sendable () -> TimePoint, unixTime: @escaping @Sendable () -> Double,
        sleep: @escaping @Sendable (Signal, TimePoint?, TimePoint?) -> Bool, isSimulated: Bool = false,
        isSystem: Bool = false
    ) {
        self.now = now
        self.unixTime = unixTime
        self.sleep = sleep
        self.isSimulated = isSimulated
        self.isSystem = isSystem
    }

    /// When a call that started at `callStart` has to be over, by its own timeout and by the deadline around it.
    package func deadline(of timeouts: Timeouts, from callStart: TimePoint) -> CallDeadline? {
        guard isSimulated else { return timeouts.deadline(from: callStart) }
        let own = timeouts.total.map { CallDeadline($0, at: callStart + $0, isSimulated: true) }
        return .earlier(own, CallDeadline.current.map(simulated))
    }

    /// The deadline as far ahead in this time as it is in the system's.
    private func simulated(_ deadline: CallDeadline) -> CallDeadline {
        guard !deadline.isSimulated else { return deadline }
        let instant = now() + TimePoint.now.duration(to: deadline.point)
        return CallDeadline(deadline.allowance, at: instant, isSimulated: true)
    }

    package static let system = CallClock(
        now: { .now }, unixTime: { Date().timeIntervalSince1970 },
        sleep: { signal, end, deadline in signal.wait(until: [end, deadline].compactMap(\.self).min()) }, isSystem: true
    )

    package enum WaitEnding: Sendable, Hashable {
        /// What was waited for has happened.
        case signalled
        /// The time was over first.
        case elapsed
        /// The call's token was cancelled first.
        case cancelled
    }

    /// Blocks this thread until `signal` fires, until `end`, until `deadline`, or until `CancellationToken.current` is
    /// cancelled, which wakes it at once. Nothing is polled. `signal` also fires when the waiting call is cancelled.
    /// Without an `end` it waits for another call.
    package func wait(
        for signal: Signal = Signal(), until end: TimePoint?, within deadline: TimePoint? = nil
    ) -> WaitEnding {
        let token = CancellationToken.current
        let registration = token?.onCancel { signal.fire() }
        defer { registration?.remove() }
        let hasFired = sleep(signal, end, deadline)
        if let token, token.isCancelled { return .cancelled }
        return hasFired ? .signalled : .elapsed
    }
}

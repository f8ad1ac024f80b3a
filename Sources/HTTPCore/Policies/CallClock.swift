import HTTPFoundation
import HTTPSupport

/// The clock of interceptors, which also lets them wait: the system's, or one that a test advances.
package final class CallClock: Sendable {
    /// Monotonic time, for durations.
    package let now: @Sendable () -> TimePoint
    /// Seconds since 1970, for dates from servers.
    package let unixTime: @Sendable () -> Double
    /// Sleeps until the signal fires or one of the two times has come, and returns whether the signal has fired. The
    /// first time is the end of the wait, nil to wait for another call. The second is the deadline of the call, nil for
    /// none. In simulated time only the first advances the clock. False without either time: nothing will fire it.
    package let sleep: @Sendable (Signal, TimePoint?, TimePoint?) -> Bool
    /// Whether its points in time are not those of the system's clock. The deadline around a call may still be one.
    package let isSimulated: Bool
    /// Whether it is the system's clock. Other drivers than a thread can then wait by it, too.
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

    /// The deadline of a call that started at `callStart`, by its own timeout and the deadline around it.
    package func deadline(of timeouts: Timeouts, from callStart: TimePoint) -> CallDeadline? {
        guard isSimulated else { return timeouts.deadline(from: callStart) }
        return .earlier(
            timeouts.ownDeadline(from: callStart, isSimulated: true), CallDeadline.current.map(simulated))
    }

    /// A simulated deadline that is as far away as `deadline` is by the system's clock.
    private func simulated(_ deadline: CallDeadline) -> CallDeadline {
        guard !deadline.isSimulated else { return deadline }
        return deadline.at(now() + TimePoint.now.duration(to: deadline.point), isSimulated: true)
    }

    package static let system = CallClock(
        now: { .now }, unixTime: { ThreadSystem.current?.unixTime ?? Date().timeIntervalSince1970 },
        sleep: { signal, end, deadline in signal.wait(until: [end, deadline].compactMap(\.self).min()) }, isSystem: true
    )

    package enum WaitEnding: Sendable, Hashable {
        /// The awaited event has happened.
        case signalled
        /// The time has passed first.
        case elapsed
        /// The call's token was cancelled first.
        case cancelled
    }

    /// Blocks this thread until `signal` fires, until `end`, until `deadline`, or until `CancellationToken.current` is
    /// cancelled. It does not poll. Cancelling the waiting call also fires `signal`. Without an `end` it waits for
    /// another call.
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

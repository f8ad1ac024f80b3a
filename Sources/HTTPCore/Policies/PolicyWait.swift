/// A wait of a policy: until its time or a wake-up; and the deadline of the call.
///
/// The two are separate for simulated time, which advances at once when a policy waits for a time, and not at all when
/// it waits for another call or for its deadline.
package struct PolicyWait: Sendable {
    /// The policy to wake.
    package let layer: Int
    /// Until when; nil for a policy that another call wakes.
    package let end: TimePoint?
    /// When the call's time is up, if it has a limit.
    package let deadline: TimePoint?

    /// When the wait is over at the latest, for a driver by the system's clock.
    package var last: TimePoint? {
        guard let end, let deadline else { return end ?? deadline }
        return min(end, deadline)
    }
}

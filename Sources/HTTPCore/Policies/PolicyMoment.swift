/// What a policy may know when it decides.
package struct PolicyMoment: Sendable {
    package typealias Instant = ContinuousClock.Instant

    /// What came by, as the policies before this one left it.
    package let request: Request
    /// When it came by.
    package let start: Instant
    package let now: Instant
    /// By when this policy has to be done with the request; nil for no limit.
    package let deadline: CallDeadline?
    /// How many exchanges there have been within, redirects included.
    package let attempts: Int
    /// How long this policy and those within have waited and worked.
    package let waited: Duration
    package let call: any PolicyCall
    /// The place of the policy among those of the call.
    package let layer: Int

    /// Seconds since 1970.
    package var unixTime: Double { call.clock.unixTime() }
    package var isCancelled: Bool { call.isCancelled }
    /// Whether there is a loop that can make a call nobody waits for.
    var canSendInBackground: Bool { call.canSendInBackground }
    package var timeLeft: Duration? { deadline.map { now.duration(to: $0.instant) } }

    /// Ends a wait of this policy from wherever it is called.
    var waker: PolicyWaker { PolicyWaker(call: call, layer: layer) }

    package func cancelled(_ phase: CallPhase) -> HTTPError { .cancelled(record(phase)) }

    package func timedOut(_ phase: CallPhase, blockedBy: String? = nil) -> HTTPError {
        .timedOut(
            TimeoutFailure(.total, after: deadline?.allowance ?? .zero, record: record(phase), blockedBy: blockedBy))
    }

    private func record(_ phase: CallPhase) -> CallRecord {
        var record = CallRecord(request, phase: phase)
        record.metrics.attempts = attempts
        record.metrics.total = start.duration(to: now)
        record.metrics.waited = waited
        return record
    }
}

/// A call on its way through its policies, as its driver keeps it.
package protocol PolicyCall: AnyObject, Sendable {
    var clock: CallClock { get }
    var isCancelled: Bool { get }
    /// Whether its driver can make another call that nobody waits for.
    var canSendInBackground: Bool { get }

    /// Has the policy at `layer` resumed if it waits, else as soon as it does. From any thread.
    func wake(_ layer: Int)
}

extension PolicyCall {
    package var canSendInBackground: Bool { false }
}

/// Ends the wait of one policy in one call. It may be used at any time, from any thread, any number of times.
struct PolicyWaker: Sendable {
    let call: any PolicyCall
    let layer: Int

    func wake() { call.wake(layer) }
}

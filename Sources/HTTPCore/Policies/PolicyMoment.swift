import HTTPSupport

/// The input of a decision: the request, the time, and the state of the call.
///
/// Times are those of the call's clock, which may be simulated in tests: use no other clock.
public struct PolicyMoment: Sendable {
    let received: PolicyRequest
    /// `start`, `now` and `waited`, in forms that are cheap to copy.
    package let startTime: TimePoint
    package let time: TimePoint
    let waitedSpan: TimeSpan
    /// The number of exchanges so far, redirects included.
    package let attempts: Int

    /// The request, as changed by the policies before this one.
    public var request: Request { received.request }
    /// The deadline of this policy for the request; nil for no limit.
    public var deadline: CallDeadline? { received.deadline }
    /// How long this policy and the inner ones have waited and worked.
    public var waited: Duration { waitedSpan.duration }
    package var call: any PolicyCall { received.call }
    /// When it arrived.
    public var start: ContinuousClock.Instant { startTime.instant }
    /// When the policy is asked.
    public var now: ContinuousClock.Instant { time.instant }
    /// Seconds since 1970, for what servers write as a date.
    public var unixTime: Double { call.clock.unixTime() }
    /// Whether the call was cancelled. A wait that begins then ends at once.
    public var isCancelled: Bool { call.isCancelled }
    /// The time until `deadline`, not positive once that has passed; nil for no limit.
    public var timeLeft: Duration? { deadline.map { time.duration(to: $0.point) } }
    /// Whether there is a loop that can make a background call: for `PolicyStep.sendInBackground`.
    package var canSendInBackground: Bool { call.canSendInBackground }

    /// The error of a call that was cancelled in `phase`.
    public func cancelled(_ phase: CallActivity) -> HTTPError { .cancelled(record(phase)) }

    /// The error of a call whose deadline has passed, or would pass during the wait.
    ///
    /// - Parameters:
    ///   - phase: The phase of the call.
    ///   - blockedBy: What delayed it, for the message: `the rate limit of 5 per second`.
    public func timedOut(_ phase: CallActivity, blockedBy: String? = nil) -> HTTPError {
        .timedOut(deadline, record(phase), blockedBy: blockedBy)
    }

    /// The error of a call whose policy does not come to an end.
    package func failed(_ kind: PolicyFault.Kind, of policy: String, _ phase: CallActivity) -> HTTPError {
        .other(PolicyFault(kind, policy: policy, record: record(phase)))
    }

    private func record(_ phase: CallActivity) -> CallRecord {
        var record = CallRecord(request, phase: phase)
        record.metrics.serial = CallID.next().number
        record.metrics.attemptCount = attempts
        record.metrics.total = startTime.duration(to: time)
        record.metrics.waited = waited
        return record
    }
}

/// A request as a policy receives it. Policies that pass it on unchanged share one object, so a moment holds a single
/// reference, to an object of this call alone: processors that count references to the same object wait for each other.
final class PolicyRequest: Sendable {
    let request: Request
    let deadline: CallDeadline?
    let call: any PolicyCall

    init(_ request: Request, _ deadline: CallDeadline?, _ call: any PolicyCall) {
        (self.request, self.deadline, self.call) = (request, deadline, call)
    }
}

/// A driver's view of a call with policies.
package protocol PolicyCall: AnyObject, Sendable {
    var clock: CallClock { get }
    var isCancelled: Bool { get }
    /// Whether its driver can make a background call.
    var canSendInBackground: Bool { get }
}

extension PolicyCall {
    package var canSendInBackground: Bool { false }
}

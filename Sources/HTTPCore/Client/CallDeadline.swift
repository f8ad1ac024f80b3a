import HTTPSupport

/// A point in time by which calls must be over, whatever their own timeouts.
///
/// A blocking call's own timeout counts from when it is made, that of an awaited call, a callback or a future from its
/// submission. To include an earlier wait, or to give several calls one budget, run them under a deadline; each gets
/// only the time left:
///
///     try CallDeadline(.seconds(30)).run { () throws(HTTPError) in try client.send(first); try client.send(second) }
public struct CallDeadline: Sendable, Hashable {
    /// The deadline for the calls on this thread, or in this task.
    @TaskLocal public static var current: CallDeadline?

    /// The point in time, on the continuous clock, which keeps running while the machine sleeps.
    public var instant: ContinuousClock.Instant { point.instant }
    /// The total time allowed, which errors report.
    public let allowance: Duration
    /// Whether it is a point in a test's simulated time, which is not comparable to the system's clock.
    package let isSimulated: Bool
    /// Whether it is the total timeout of a request, which its step raises.
    let isOfRequest: Bool
    /// `instant`, in a form that is cheap to copy.
    package let point: TimePoint

    /// A deadline `allowance` from now. With zero or less it has passed already.
    public init(_ allowance: Duration) { self.init(allowance, from: TimePoint.now) }

    /// A deadline `allowance` after `start`.
    public init(_ allowance: Duration, from start: ContinuousClock.Instant) {
        self.init(allowance, from: TimePoint(start))
    }

    package init(_ allowance: Duration, from start: TimePoint) {
        self.init(allowance, at: start + allowance, isSimulated: false)
    }

    package init(_ allowance: Duration, at point: TimePoint, isSimulated: Bool, isOfRequest: Bool = false) {
        self.allowance = allowance
        self.point = point
        self.isSimulated = isSimulated
        self.isOfRequest = isOfRequest
    }

    /// The same by another clock.
    package func at(_ point: TimePoint, isSimulated: Bool) -> CallDeadline {
        CallDeadline(allowance, at: point, isSimulated: isSimulated, isOfRequest: isOfRequest)
    }

    /// The earlier of the two; nil if both are nil.
    package static func earlier(_ first: CallDeadline?, _ second: CallDeadline?) -> CallDeadline? {
        guard let first, let second else { return first ?? second }
        // They cannot be compared. The simulated one was made with the other in mind.
        if first.isSimulated != second.isSimulated { return first.isSimulated ? first : second }
        return second.point < first.point ? second : first
    }

    /// Runs `operation` with this deadline as `current`, unless `current` is earlier.
    public func run<Value, Failure: Error>(_ operation: () throws(Failure) -> Value) throws(Failure) -> Value {
        try Self.$current.withValue(Self.earlier(self, Self.current)) { Result(catching: operation) }.get()
    }
}

extension Optional where Wrapped == CallDeadline {
    /// The same with a deadline that may be missing, such as that of an incoming request: without one, `current` stays.
    public func run<Value, Failure: Error>(_ operation: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let self else { return try operation() }
        return try self.run(operation)
    }
}

extension HTTPError {
    /// The error of a call whose deadline has passed, or would pass meanwhile.
    package static func timedOut(
        _ deadline: CallDeadline?, _ record: CallRecord, blockedBy: String? = nil
    ) -> HTTPError {
        let allowance = deadline?.allowance ?? .zero
        var failure = TimeoutFailure(.total, after: allowance, record: record, blockedBy: blockedBy)
        failure.isOwn = deadline?.isOfRequest ?? true
        return .timedOut(failure)
    }
}

extension Request {
    /// Makes a call that sends this request. While a streamed body waits for its next bytes, only the call's time or its
    /// cancellation ends that, and the source sees them as those around it.
    package func withinTimeout(_ call: () -> Result<Response, HTTPError>) -> Result<Response, HTTPError> {
        body.isStreamed ? timeouts.ownDeadline(from: .now).run(call) : call()
    }
}

extension Timeouts {
    /// The deadline of a call that started at `callStart`, by its own timeout alone.
    package func ownDeadline(from callStart: TimePoint, isSimulated: Bool = false) -> CallDeadline? {
        total.map { CallDeadline($0, at: callStart + $0, isSimulated: isSimulated, isOfRequest: true) }
    }

    /// The same with the deadline around it.
    package func deadline(from callStart: TimePoint) -> CallDeadline? {
        .earlier(ownDeadline(from: callStart), .current)
    }
}

/// A point in time by which calls have to be over, whatever their own timeouts grant them.
///
/// A call's own timeout counts from when it is sent. To include a wait before, or to give several calls one budget,
/// bind a deadline around them; each gets only what is left:
///
///     CallDeadline(.seconds(30)).run { client.executeRequest(first); client.executeRequest(second) }
public struct CallDeadline: Sendable, Hashable {
    /// The deadline for the calls on this thread, or in this task.
    @TaskLocal public static var current: CallDeadline?

    /// The point in time at which the calls have to be over, by the continuous clock, which goes on while the machine
    /// sleeps.
    public var instant: ContinuousClock.Instant { point.instant }
    /// The time there was in all: what an error names.
    public let allowance: Duration
    /// Whether it is a point in a test's simulated time, which the system's clock knows nothing of.
    package let isSimulated: Bool
    /// `instant`, in a form that is cheap to copy.
    package let point: TimePoint

    /// A deadline `allowance` after `start`, by default from now on. One of zero or less has passed already.
    public init(_ allowance: Duration, from start: ContinuousClock.Instant = .now) {
        self.init(allowance, from: TimePoint(start))
    }

    package init(_ allowance: Duration, from start: TimePoint) {
        self.init(allowance, at: start + allowance, isSimulated: false)
    }

    package init(_ allowance: Duration, at point: TimePoint, isSimulated: Bool) {
        self.allowance = allowance
        self.point = point
        self.isSimulated = isSimulated
    }

    /// The one that comes first; nil if there is none.
    public static func earlier(_ first: CallDeadline?, _ second: CallDeadline?) -> CallDeadline? {
        guard let first, let second else { return first ?? second }
        // They cannot be compared, and the simulated one was made with the other in mind.
        if first.isSimulated != second.isSimulated { return first.isSimulated ? first : second }
        return second.point < first.point ? second : first
    }

    /// Runs `operation` with this deadline as `current`, unless an earlier one is.
    public func run<Value, Failure: Error>(_ operation: () throws(Failure) -> Value) throws(Failure) -> Value {
        try Self.$current.withValue(Self.earlier(self, Self.current)) { Result(catching: operation) }.get()
    }
}

extension Timeouts {
    /// When a call that started at `callStart` has to be over, by its own timeout and by the deadline around it.
    package func deadline(from callStart: TimePoint) -> CallDeadline? {
        .earlier(total.map { CallDeadline($0, from: callStart) }, .current)
    }
}

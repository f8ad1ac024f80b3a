/// A point in time of the continuous clock whose size the compiler knows. It does not of `ContinuousClock.Instant`, and so
/// every copy of anything that contains one would be made by asking the library how.
struct TimePoint: Sendable, Hashable, Comparable {
    /// When the process first asked.
    private static let epoch = ContinuousClock.now

    private let sinceEpoch: Duration

    private init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

    init(_ instant: ContinuousClock.Instant) { sinceEpoch = Self.epoch.duration(to: instant) }

    static var now: TimePoint {
        // The epoch first: it is no later than now.
        let epoch = epoch
        return TimePoint(sinceEpoch: epoch.duration(to: .now))
    }

    var instant: ContinuousClock.Instant { Self.epoch + sinceEpoch }

    func duration(to other: TimePoint) -> Duration { other.sinceEpoch - sinceEpoch }

    static func + (point: TimePoint, duration: Duration) -> TimePoint {
        TimePoint(sinceEpoch: point.sinceEpoch + duration)
    }

    static func < (lhs: TimePoint, rhs: TimePoint) -> Bool { lhs.sinceEpoch < rhs.sinceEpoch }
}

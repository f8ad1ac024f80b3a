/// A point in time of the continuous clock whose size the compiler knows. It does not of `ContinuousClock.Instant`, and so
/// every copy of anything that contains one would be made by asking the library how.
package struct TimePoint: Sendable, Hashable, Comparable {
    /// When the process first asked.
    private static let epoch = ContinuousClock.now

    private let sinceEpoch: Duration

    private init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

    package init(_ instant: ContinuousClock.Instant) { sinceEpoch = Self.epoch.duration(to: instant) }

    package static var now: TimePoint {
        // The epoch first: it is no later than now.
        let epoch = epoch
        return TimePoint(sinceEpoch: epoch.duration(to: .now))
    }

    package var instant: ContinuousClock.Instant { Self.epoch + sinceEpoch }

    package func duration(to other: TimePoint) -> Duration { other.sinceEpoch - sinceEpoch }

    package static func + (point: TimePoint, duration: Duration) -> TimePoint {
        TimePoint(sinceEpoch: point.sinceEpoch + duration)
    }

    package static func < (lhs: TimePoint, rhs: TimePoint) -> Bool { lhs.sinceEpoch < rhs.sinceEpoch }
}

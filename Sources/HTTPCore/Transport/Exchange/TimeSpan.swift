/// A length of time in nanoseconds, three centuries at most: what lies between two `TimePoint`s.
package struct TimeSpan: Sendable, Hashable, Comparable {
    package static let zero = TimeSpan(nanoseconds: 0)

    package let nanoseconds: Int64

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Parts of a nanosecond are left out.
    package init(_ duration: Duration) {
        nanoseconds = Int64(clamping: duration.attoseconds / 1_000_000_000)
    }

    package static func microseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count * 1000) }

    package static func seconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count * 1_000_000_000) }

    package var duration: Duration { .nanoseconds(nanoseconds) }

    package static func < (lhs: TimeSpan, rhs: TimeSpan) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

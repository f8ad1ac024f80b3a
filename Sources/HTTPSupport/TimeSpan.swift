/// A length of time in nanoseconds, three centuries at most: what lies between two `TimePoint`s. Sums and differences that
/// would be longer are as long as possible.
@usableFromInline package struct TimeSpan: Sendable, Hashable, Comparable, AdditiveArithmetic {
    @inlinable package static var zero: TimeSpan { TimeSpan(nanoseconds: 0) }

    @usableFromInline package let nanoseconds: Int64

    @inlinable
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Parts of a nanosecond are left out.
    @inlinable
    package init(_ duration: Duration) {
        // 10⁹ is 2⁹ · 5⁹. What is left of two hours fits into a register; a division of 128 bits is a function.
        if let rest = UInt64(exactly: duration.attoseconds >> 9) {
            nanoseconds = Int64(rest / 1_953_125)
        } else {
            nanoseconds = Int64(clamping: duration.attoseconds / 1_000_000_000)
        }
    }

    @inlinable
    package static func microseconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count * 1000) }

    @inlinable
    package static func seconds(_ count: Int64) -> TimeSpan { TimeSpan(nanoseconds: count * 1_000_000_000) }

    @inlinable
    package var duration: Duration { .nanoseconds(nanoseconds) }

    @inlinable
    package static func + (lhs: TimeSpan, rhs: TimeSpan) -> TimeSpan {
        let (sum, isBeyond) = lhs.nanoseconds.addingReportingOverflow(rhs.nanoseconds)
        return TimeSpan(nanoseconds: isBeyond ? (rhs > .zero ? .max : .min) : sum)
    }

    @inlinable
    package static func - (lhs: TimeSpan, rhs: TimeSpan) -> TimeSpan {
        let (difference, isBeyond) = lhs.nanoseconds.subtractingReportingOverflow(rhs.nanoseconds)
        return TimeSpan(nanoseconds: isBeyond ? (rhs > .zero ? .min : .max) : difference)
    }

    @inlinable
    package static func < (lhs: TimeSpan, rhs: TimeSpan) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

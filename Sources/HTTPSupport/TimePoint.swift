/// A point in time of the continuous clock as a number, which is cheap to get, copy and compare. The standard library's
/// type is not: a request reads the time half a dozen times, and compares it with limits each time.
@usableFromInline package struct TimePoint: Sendable, Hashable, Comparable {
    @usableFromInline package let nanoseconds: Int64

    @inlinable
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// By the system's clock, or by that of the thread's simulation.
    @usableFromInline package static var now: TimePoint { ThreadSystem.current?.now ?? ofSystem }

    #if canImport(Glibc) || canImport(Musl)
    /// By the very clock that `ContinuousClock` reads.
    private static var ofSystem: TimePoint {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return TimePoint(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
    #else
    private static var ofSystem: TimePoint {
        TimePoint(nanoseconds: TimeSpan(beginning.duration(to: .now)).nanoseconds)
    }

    private static let beginning = ContinuousClock.now
    #endif

    /// How far away, in either direction.
    @inlinable
    package func span(to other: TimePoint) -> TimeSpan {
        TimeSpan(nanoseconds: other.nanoseconds) - TimeSpan(nanoseconds: nanoseconds)
    }

    @inlinable
    package func duration(to other: TimePoint) -> Duration { span(to: other).duration }

    @inlinable
    package func advanced(by span: TimeSpan) -> TimePoint {
        TimePoint(nanoseconds: (TimeSpan(nanoseconds: nanoseconds) + span).nanoseconds)
    }

    @inlinable
    package static func + (point: TimePoint, duration: Duration) -> TimePoint { point.advanced(by: TimeSpan(duration)) }

    @inlinable
    package static func - (point: TimePoint, duration: Duration) -> TimePoint {
        point.advanced(by: TimeSpan(.zero - duration))
    }

    @inlinable
    package static func < (lhs: TimePoint, rhs: TimePoint) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    // MARK: Conversion to the clock

    /// One point in time in both forms, also if a thread of a simulation is the first to ask. The two clocks cannot be
    /// read at once, so of a few attempts the shortest counts.
    private static let epoch = {
        let attempts = (0..<5).map { _ in (before: ofSystem, instant: ContinuousClock.now, after: ofSystem) }
        let best = attempts.min { $0.before.span(to: $0.after) < $1.before.span(to: $1.after) } ?? attempts[0]
        return (instant: best.instant, point: best.after)
    }()

    package init(_ instant: ContinuousClock.Instant) {
        self = Self.epoch.point + Self.epoch.instant.duration(to: instant)
    }

    package var instant: ContinuousClock.Instant { Self.epoch.instant + Self.epoch.point.duration(to: self) }
}

import HTTPSupport

/// A token bucket that is refilled at an even pace, as a pure function of time.
///
/// Its state is the time when it will be full again (the "generic cell rate algorithm" of ITU-T I.371).
struct TokenBucket: Sendable, Hashable {
    /// The time per token, in whole nanoseconds.
    private let pace: Duration
    /// The capacity in tokens.
    private let size: Int
    /// When it is full; nil before the first token is taken.
    private var full: TimePoint?

    init(_ limit: RateLimit) {
        // Rounded up, so that rounding never admits one more. Bounded, as no clock runs that long.
        let even = TimeSpan(limit.interval / limit.count).duration
        pace = min(even * limit.count < limit.interval ? even + .nanoseconds(1) : even, .seconds(Int64(1) << 32))
        size = min(limit.burst, Int(clamping: Int64(1) << 32))
    }

    /// When there is a token for a call that arrives `now`, behind `others` waiting ones.
    func readiness(at now: TimePoint, after others: Int = 0) -> TimePoint {
        max(now, fullness(at: now) + pace * (others - (size - 1)))
    }

    /// When a waiting call behind `others` has its turn, if each of them goes in time. That may be past.
    func turn(after others: Int) -> TimePoint? { full.map { $0 + pace * (others - (size - 1)) } }

    mutating func take(at now: TimePoint) { full = fullness(at: now) + pace }

    func isFull(at now: TimePoint) -> Bool { fullness(at: now) == now }

    private func fullness(at now: TimePoint) -> TimePoint { full.map { max($0, now) } ?? now }
}

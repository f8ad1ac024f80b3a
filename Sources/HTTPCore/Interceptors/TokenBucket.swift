/// A bucket that gains a token at an even pace up to a number, and gives one to each request: a pure function of time.
///
/// It is kept as one point in time, when it would be full again (the "generic cell rate algorithm" of ITU-T I.371).
struct TokenBucket: Sendable, Hashable {
    /// The time in which it gains one token, in whole nanoseconds.
    private let pace: Duration
    /// The tokens there is room for.
    private let size: Int
    /// When it is full; nil before the first token is taken.
    private var full: TimePoint?

    init(_ limit: RateLimit) {
        // Rounded up, so that rounding never lets one more through; and bounded, as no clock runs for so long.
        let even = TimeSpan(limit.interval / limit.count).duration
        pace = min(even * limit.count < limit.interval ? even + .nanoseconds(1) : even, .seconds(1 << 32))
        size = min(limit.burst, 1 << 32)
    }

    /// When there is a token for a call that arrives `now` behind `others`.
    func readiness(at now: TimePoint, after others: Int = 0) -> TimePoint {
        max(now, fullness(at: now) + pace * (others - (size - 1)))
    }

    mutating func take(at now: TimePoint) { full = fullness(at: now) + pace }

    func isFull(at now: TimePoint) -> Bool { fullness(at: now) == now }

    private func fullness(at now: TimePoint) -> TimePoint { full.map { max($0, now) } ?? now }
}

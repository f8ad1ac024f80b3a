import HTTPSupport

/// How long to wait before a retry: exponential backoff with full jitter. The wait is drawn evenly from zero up to a
/// bound that doubles with each retry, so that clients that failed together do not return together ("full jitter" in
/// "Exponential Backoff And Jitter", AWS Architecture Blog).
public struct Backoff: Sendable {
    /// The bound before the first retry, 500 ms by default.
    public var base: Duration
    /// The maximum bound, 20 s by default.
    public var cap: Duration
    /// Draws a number from 0 up to 1 for each wait: the fraction of the bound.
    public var jitter: @Sendable () -> Double

    /// Full jitter: before retry n, counted from 0, a wait between zero and `base` × 2ⁿ, but at most `cap`.
    public init(
        base: Duration = .milliseconds(500), cap: Duration = .seconds(20),
        jitter: @escaping @Sendable () -> Double = { randomFraction() }
    ) {
        self.base = base
        self.cap = cap
        self.jitter = jitter
    }

    /// Of this seed, within a simulation.
    @usableFromInline static func randomFraction() -> Double {
        var generator = ThreadRandom()
        return .random(in: 0..<1, using: &generator)
    }

    /// The wait before the next retry after `retries` of them, 0 or more; for loops of your own. Each call draws a number,
    /// so that with `jitter: { 1 }` it is always the bound.
    ///
    ///     try await Task.sleep(for: backoff.delay(after: retries))
    public func delay(after retries: Int) -> Duration { delay(after: retries, drawn: jitter()) }

    /// The maximum wait after `retries` retries.
    func bound(after retries: Int) -> Duration {
        var bound = max(base, .zero)
        let cap = max(cap, .zero)
        for _ in 0..<max(retries, 0) where bound < cap { bound += bound }
        return min(bound, cap)
    }

    /// The wait for a drawn number.
    func delay(after retries: Int, drawn number: Double) -> Duration {
        bound(after: retries) * min(max(number.isNaN ? 1 : number, 0), 1)
    }
}

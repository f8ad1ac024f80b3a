/// How long to wait before trying again: exponential backoff with full jitter. The wait is drawn evenly from zero up to
/// a bound that doubles with each retry, so that clients that failed together do not come back together (after the
/// "full jitter" of the AWS architecture blog's "Exponential Backoff And Jitter").
public struct Backoff: Sendable {
    /// The bound before the first retry. 500 ms.
    public var base: Duration
    /// The largest bound: 20 s.
    public var cap: Duration
    /// Where in the range the wait lies: a number from 0 up to 1, drawn for each wait.
    public var jitter: @Sendable () -> Double

    /// Full jitter between zero and `base` × 2ⁿ before retry n, counted from 0, and never more than `cap`.
    public init(
        base: Duration = .milliseconds(500), cap: Duration = .seconds(20),
        jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
    ) {
        self.base = base
        self.cap = cap
        self.jitter = jitter
    }

    /// The longest wait before the retry that `retries` others came before.
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

/// The number of retries that all calls of a client may make together. It keeps a failing server from receiving every
/// request three times.
///
/// It is a token bucket that starts full. A retry takes a token, and returns it if it succeeds. A call that succeeds
/// without a retry adds a fraction of a token. While nothing succeeds, there are at most `capacity` retries. While most
/// calls succeed, the retries are at most that fraction of the calls (the 10 % of Google's SRE book, chapter "Handling
/// Overload", and the retry quota of the AWS SDKs). It may be used by any number of threads, and by several clients of
/// one server.
public final class RetryBudget: Sendable {
    private let tokens: Locked<RetryTokens>

    /// A full budget.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of retries in store, 20 by default. With 0 nothing is retried.
    ///   - refill: The retries that each success adds: 0.1 by default, rounded to thousandths.
    public init(capacity: Int = 20, refill: Double = 0.1) {
        tokens = Locked(RetryTokens(capacity: capacity, refill: refill))
    }

    /// The number of whole retries in store.
    public var available: Int { tokens.withLock { $0.available } }

    func withdraw() -> Bool { tokens.withLock { $0.withdraw() } }

    /// Returns a token taken for a retry that did not take place.
    func deposit() { tokens.withLock { $0.deposit() } }

    /// Records a call that succeeded after `retries`.
    func noteSuccess(after retries: Int) { tokens.withLock { $0.noteSuccess(after: retries) } }
}

/// The tokens of a budget, in thousandths, so that ten tenths are exactly one.
struct RetryTokens {
    private static let whole = 1000

    private let capacity: Int
    private let refill: Int
    private var level: Int

    init(capacity: Int, refill: Double) {
        self.capacity = min(max(capacity, 0), 1_000_000_000) * Self.whole
        self.refill = Int((min(max(refill.isNaN ? 0 : refill, 0), 1_000_000) * Double(Self.whole)).rounded())
        level = self.capacity
    }

    var available: Int { level / Self.whole }

    mutating func withdraw() -> Bool {
        guard level >= Self.whole else { return false }
        level -= Self.whole
        return true
    }

    mutating func deposit() { level = min(capacity, level + Self.whole) }

    mutating func noteSuccess(after retries: Int) {
        level = min(capacity, level + (retries > 0 ? Self.whole : refill))
    }
}

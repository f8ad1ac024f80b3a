/// How many retries all calls of a client may make together, so that a server that is down does not get every request
/// three times over.
///
/// It is a bucket of tokens and starts full. A retry takes one; a retry that succeeds gives it back; a call that succeeds
/// at once adds a part of one. While nothing succeeds, there are no more than `capacity` retries; while most things do,
/// there are as many as that part of the calls (the 10 % of Google's SRE book, chapter "Handling Overload", and the
/// retry quota of the AWS SDKs). May be used by any number of threads, and by several clients of one server.
public final class RetryBudget: Sendable {
    private let tokens: Locked<RetryTokens>

    /// A full budget.
    ///
    /// - Parameters:
    ///   - capacity: The most retries there can be in store, 20. With 0 nothing is retried.
    ///   - refill: What each success adds, in retries: 0.1, rounded to thousandths.
    public init(capacity: Int = 20, refill: Double = 0.1) {
        tokens = Locked(RetryTokens(capacity: capacity, refill: refill))
    }

    /// The whole retries in store.
    public var available: Int { tokens.withLock { $0.available } }

    func withdraw() -> Bool { tokens.withLock { $0.withdraw() } }

    /// Takes back what was withdrawn for a retry that did not take place.
    func deposit() { tokens.withLock { $0.deposit() } }

    /// Notes a call that succeeded after `retries`.
    func noteSuccess(after retries: Int) { tokens.withLock { $0.noteSuccess(after: retries) } }
}

/// The store of a budget, counted in thousandths so that ten tenths are one.
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

import Synchronization

/// The number of retries that calls may make together: by default all calls of a client to one origin. It keeps a failing
/// server from receiving every request three times.
///
/// It is a token bucket that starts full. A retry takes a token, and returns it if it succeeds. A call that succeeds
/// without a retry adds a fraction of a token. While nothing succeeds, there are at most `capacity` retries. While most
/// calls succeed, the retries are at most that fraction of the calls (the 10 % of Google's SRE book, chapter "Handling
/// Overload", and the retry quota of the AWS SDKs). One that is passed to `.retry` is for all its calls, whatever their
/// origin. It may be used by any number of threads, and by several clients of one server.
public final class RetryBudget: Sendable {
    private static let whole: Int64 = 1000

    private let capacity: Int64
    private let refill: Int64
    /// In thousandths of a retry, so that ten tenths are exactly one.
    private let level: Atomic<Int64>

    /// A full budget.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of retries in store, 20 by default. With 0 nothing is retried.
    ///   - refill: The retries that each success adds: 0.1 by default, rounded to thousandths.
    public init(capacity: Int = 20, refill: Double = 0.1) {
        self.capacity = Int64(min(max(capacity, 0), 1_000_000_000)) * Self.whole
        self.refill = Int64((min(max(refill.isNaN ? 0 : refill, 0), 1_000_000) * Double(Self.whole)).rounded())
        level = Atomic(self.capacity)
    }

    /// The number of whole retries in store.
    public var available: Int { Int(level.load(ordering: .relaxed) / Self.whole) }

    var isFull: Bool { level.load(ordering: .relaxed) == capacity }

    func withdraw() -> Bool { change { $0 >= Self.whole ? $0 - Self.whole : nil } }

    /// Returns a token taken for a retry that did not take place.
    func deposit() { add(Self.whole) }

    /// Records a call that succeeded after `retries`.
    func noteSuccess(after retries: Int) { add(retries > 0 ? Self.whole : refill) }

    /// A full budget is only read: processors that write to the same memory wait for each other.
    private func add(_ amount: Int64) {
        _ = change { $0 < capacity ? min(capacity, $0 + amount) : nil }
    }

    /// False if there is no new level.
    private func change(_ newLevel: (Int64) -> Int64?) -> Bool {
        var old = level.load(ordering: .relaxed)
        while let new = newLevel(old) {
            let (isDone, current) = level.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if isDone { return true }
            old = current
        }
        return false
    }
}

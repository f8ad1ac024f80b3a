/// How far a transfer has come.
public struct TransferProgress: Sendable, Hashable {
    /// The bytes that were moved: with those that an earlier run had fetched, where a download was resumed.
    public let bytes: Int64
    /// The whole length in bytes; nil if it is not known.
    public let total: Int64?
    /// Bytes a second over the last seconds; nil until there is something to go by.
    public let bytesPerSecond: Double?
    /// Whether this is the last word: the transfer is over.
    public let isFinished: Bool

    /// A report of `bytes` transferred out of `total`; nil where the length is not known.
    public init(bytes: Int64, total: Int64? = nil, bytesPerSecond: Double? = nil, isFinished: Bool = false) {
        self.bytes = bytes
        self.total = total
        self.bytesPerSecond = bytesPerSecond
        self.isFinished = isFinished
    }

    /// From 0 to 1; nil without a total.
    public var fraction: Double? {
        guard let total else { return nil }
        return total > 0 ? min(max(Double(bytes) / Double(total), 0), 1) : 1
    }

    /// The time left at the present rate; nil while that or the total is unknown, or so little moves that it would be more
    /// than 30,000 years.
    public var estimatedTimeLeft: Duration? {
        guard let total, let bytesPerSecond, bytesPerSecond > 0 else { return nil }
        let seconds = max(Double(total) - Double(bytes), 0) / bytesPerSecond
        // A server says what total it likes, and a `Duration` traps where it cannot hold the time.
        return seconds < 1e12 ? .seconds(seconds) : nil
    }
}

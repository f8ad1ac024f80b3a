/// Range requests (RFC 9110 §14.2), in bytes counted from 0. A server that supports them answers 206 with a
/// Content-Range, or 416 if there are no such bytes. Other servers answer 200 with the whole.
extension RequestStep {
    /// From the lower to the upper bound, both included.
    public static func range(bytes range: ClosedRange<Int>) -> RequestStep {
        guard range.lowerBound >= 0 else { return .failing("the range \(range) begins before the first byte") }
        return .header("Range", "bytes=\(range.lowerBound)-\(range.upperBound)")
    }

    /// From the lower bound up to, but not including, the upper bound.
    public static func range(bytes range: Range<Int>) -> RequestStep {
        guard !range.isEmpty else { return .failing("the range \(range) is empty") }
        return .range(bytes: range.lowerBound...(range.upperBound - 1))
    }

    /// From the lower bound to the end: `.range(bytes: 1000...)` resumes a download after its first 1000 bytes.
    public static func range(bytes range: PartialRangeFrom<Int>) -> RequestStep {
        guard range.lowerBound >= 0 else {
            return .failing("the range \(range.lowerBound)... begins before the first byte")
        }
        return .header("Range", "bytes=\(range.lowerBound)-")
    }

    /// The last `count` bytes.
    public static func range(lastBytes count: Int) -> RequestStep {
        guard count > 0 else { return .failing("a range of the last \(count) bytes is empty") }
        return .header("Range", "bytes=-\(count)")
    }
}

/// A part of the content (RFC 9110 §14.2), in bytes counted from 0. A server that can answers 206 with a Content-Range,
/// one that cannot 200 with the whole, and 416 if there are no such bytes.
extension RequestStep {
    /// From the first to the last, both included.
    public static func range(bytes range: ClosedRange<Int>) -> RequestStep {
        guard range.lowerBound >= 0 else { return .failing("the range \(range) begins before the first byte") }
        return .header("Range", "bytes=\(range.lowerBound)-\(range.upperBound)")
    }

    /// From the first up to the last, which is not included.
    public static func range(bytes range: Range<Int>) -> RequestStep {
        guard !range.isEmpty else { return .failing("the range \(range) is empty") }
        return .range(bytes: range.lowerBound...(range.upperBound - 1))
    }

    /// From one to the end: `.range(bytes: 1000...)` resumes a download of which 1000 bytes are there.
    public static func range(bytes range: PartialRangeFrom<Int>) -> RequestStep {
        guard range.lowerBound >= 0 else {
            return .failing("the range \(range.lowerBound)... begins before the first byte")
        }
        return .header("Range", "bytes=\(range.lowerBound)-")
    }

    /// As many as given at the end.
    public static func range(lastBytes count: Int) -> RequestStep {
        guard count > 0 else { return .failing("a range of the last \(count) bytes is empty") }
        return .header("Range", "bytes=-\(count)")
    }
}

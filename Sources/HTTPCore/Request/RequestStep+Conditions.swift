public import HTTPFoundation
import HTTPSupport

/// Conditional requests (RFC 9110 §13.1). If the condition is false, the server answers 304 to a GET or HEAD and 412 to
/// any other method. Both are ordinary responses.
///
/// An entity tag is given with its quotes, as in the server's ETag field (`"xyzzy"`, `W/"xyzzy"`), or is `*`.
extension RequestStep {
    /// Only if the server's version has none of these tags: avoids fetching it again. `*` requires that there is no version yet.
    public static func ifNoneMatch(_ tag: String, _ more: String...) -> RequestStep {
        condition("If-None-Match", [tag] + more)
    }

    /// Only if the server's version has one of these tags: keeps a change from overwriting another one.
    public static func ifMatch(_ tag: String, _ more: String...) -> RequestStep { condition("If-Match", [tag] + more) }

    /// Only if modified after `date`, which is sent in whole seconds.
    public static func ifModifiedSince(_ date: Date) -> RequestStep { condition("If-Modified-Since", date) }

    /// Only if not modified after `date`, which is sent in whole seconds.
    public static func ifUnmodifiedSince(_ date: Date) -> RequestStep { condition("If-Unmodified-Since", date) }

    /// The requested range if the server's version still has this tag, else the whole. The tag must not be weak.
    public static func ifRange(_ tag: String) -> RequestStep {
        guard !tag.utf8.starts(with: "W/".utf8), tag != "*" else {
            return .failing(
                "the entity tag \(tag.debugDescription) for If-Range is not a strong one (RFC 9110 §13.1.5)")
        }
        return condition("If-Range", [tag])
    }

    /// The requested range if not modified after `date`, else the whole.
    public static func ifRange(_ date: Date) -> RequestStep { condition("If-Range", date) }

    private static func condition(_ name: String, _ tags: [String]) -> RequestStep {
        for tag in tags where !isEntityTag(tag) && (tag != "*" || tags.count > 1) {
            return .failing(
                "\(tag.debugDescription) for \(name) is not an entity tag: give it as the server's ETag has it, with"
                    + " its quotes")
        }
        return .header(name, tags.joined(separator: ", "))
    }

    private static func condition(_ name: String, _ date: Date) -> RequestStep {
        guard let time = CivilTime(date) else { return .failing("the date for \(name) is before year 0 or after 9999") }
        return .header(name, time.httpDate)
    }

    /// Whether `text` is an entity tag (RFC 9110 §8.8.3).
    private static func isEntityTag(_ text: String) -> Bool {
        let opaque = text.utf8.starts(with: "W/".utf8) ? text.utf8.dropFirst(2) : text.utf8[...]
        let quote = UInt8(ascii: "\"")
        guard opaque.count >= 2, opaque.first == quote, opaque.last == quote else { return false }
        return opaque.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != quote && $0 != 0x7F }
    }
}

/// Range requests (RFC 9110 §14.2), in bytes counted from 0. A server that supports them answers 206 with a
/// Content-Range, or 416 if there are no such bytes. Other servers answer 200 with the whole. If the server codes what it sends,
/// although a range asks for no coding, the bytes are those of the coded body and are not decoded.
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

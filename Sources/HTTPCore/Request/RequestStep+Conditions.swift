#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Requests that are only carried out under a condition (RFC 9110 §13.1). A server that finds it not met answers 304 to
/// a GET or HEAD, else 412, both of which are responses like any other.
///
/// An entity tag is given as the server wrote it in its ETag, with its quotes: `"xyzzy"`, `W/"xyzzy"`; or it is `*`.
extension RequestStep {
    /// Only if the server's version is none of these: avoids fetching it again. `*` means that there is none.
    public static func ifNoneMatch(_ tag: String, _ more: String...) -> RequestStep {
        condition("If-None-Match", [tag] + more)
    }

    /// Only if the server's version is one of these: keeps a change from overwriting another one.
    public static func ifMatch(_ tag: String, _ more: String...) -> RequestStep { condition("If-Match", [tag] + more) }

    /// Only if it was modified later. A date is sent in whole seconds.
    public static func ifModifiedSince(_ date: Date) -> RequestStep { condition("If-Modified-Since", date) }

    /// Only if it was not modified later.
    public static func ifUnmodifiedSince(_ date: Date) -> RequestStep { condition("If-Unmodified-Since", date) }

    /// The range asked for only if the server still has this, else the whole. The tag must not be a weak one.
    public static func ifRange(_ tag: String) -> RequestStep {
        guard !tag.utf8.starts(with: "W/".utf8), tag != "*" else {
            return .failing(
                "the entity tag \(tag.debugDescription) for If-Range is not a strong one (RFC 9110 §13.1.5)")
        }
        return condition("If-Range", [tag])
    }

    /// The range asked for only if it was not modified later, else the whole.
    public static func ifRange(_ date: Date) -> RequestStep { condition("If-Range", date) }

    private static func condition(_ name: String, _ tags: [String]) -> RequestStep {
        for tag in tags where !isEntityTag(tag) && (tag != "*" || tags.count > 1) {
            return .failing(
                "the entity tag \(tag.debugDescription) for \(name) is none: give it as the server's ETag has it, with"
                    + " its quotes")
        }
        return .header(name, tags.joined(separator: ", "))
    }

    private static func condition(_ name: String, _ date: Date) -> RequestStep {
        guard let time = CivilTime(date) else { return .failing("the date for \(name) is before year 0 or after 9999") }
        return .header(name, time.httpDate)
    }

    /// RFC 9110 §8.8.3.
    private static func isEntityTag(_ text: String) -> Bool {
        let opaque = text.utf8.starts(with: "W/".utf8) ? text.utf8.dropFirst(2) : text.utf8[...]
        let quote = UInt8(ascii: "\"")
        guard opaque.count >= 2, opaque.first == quote, opaque.last == quote else { return false }
        return opaque.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != quote && $0 != 0x7F }
    }
}

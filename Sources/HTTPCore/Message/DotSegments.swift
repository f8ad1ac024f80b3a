/// Removal of `.` and `..` from a path (RFC 3986 §5.2.4).
enum DotSegments {
    /// Whether `target` contains `/.`, plain or as `/%2e`, which every server treats alike. Nearly no target does, and
    /// then it need not be split.
    static func mayOccur(in target: String) -> Bool {
        var previous: UInt8 = 0
        for byte in target.utf8 {
            if byte == UInt8(ascii: "?") { return false }
            if previous == UInt8(ascii: "/"), byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") { return true }
            previous = byte
        }
        return false
    }

    /// `target` without its dot segments. It starts with `/` and may have a query. A `..` at the root is dropped.
    static func removed(fromTarget target: String) -> String {
        let queryStart = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        var kept: [Substring] = []
        var endsInDirectory = false
        for segment in target[..<queryStart].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            let dots = decoded(segment)
            endsInDirectory = dots == "." || dots == ".."
            if dots == ".." {
                _ = kept.popLast()
            } else if dots != "." {
                kept.append(segment)
            }
        }
        let path = "/" + kept.joined(separator: "/")
        return (endsInDirectory && !path.hasSuffix("/") ? path + "/" : path) + target[queryStart...]
    }

    /// Whether `segment` is `.` or `..`. Nearly no segment begins like one, so it is rarely decoded.
    static func isOne(_ segment: Substring) -> Bool {
        guard let first = segment.utf8.first, first == UInt8(ascii: ".") || first == UInt8(ascii: "%"),
            segment.utf8.count <= "%2e%2e".utf8.count
        else { return false }
        let dots = decoded(segment)
        return dots == "." || dots == ".."
    }

    /// `segment` in lower case with its encoded dots written as dots: enough to tell whether it is a dot segment.
    private static func decoded(_ segment: Substring) -> String {
        ASCII.lowercased(segment).split(separator: "%2e", omittingEmptySubsequences: false).joined(separator: ".")
    }
}

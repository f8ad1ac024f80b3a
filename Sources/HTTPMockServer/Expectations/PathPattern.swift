/// A path with wildcards: `*` and `{name}` match one segment, `**` at the end any number of them, including none.
struct PathPattern: Sendable, Hashable {
    let text: String

    func matches(_ path: String) -> Bool { Self.matches(segments(text), segments(path)) }

    private func segments(_ path: String) -> ArraySlice<Substring> {
        path.split(separator: "/", omittingEmptySubsequences: false)[...]
    }

    private static func matches(_ pattern: ArraySlice<Substring>, _ path: ArraySlice<Substring>) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        if first == "**", pattern.count == 1 { return true }
        guard let segment = path.first, isPlace(first) ? !segment.isEmpty : first == segment else { return false }
        return matches(pattern.dropFirst(), path.dropFirst())
    }

    private static func isPlace(_ segment: Substring) -> Bool {
        segment == "*" || (segment.hasPrefix("{") && segment.hasSuffix("}"))
    }
}

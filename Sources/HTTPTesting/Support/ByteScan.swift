extension ArraySlice<UInt8> {
    package var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }

    /// The bytes without leading and trailing spaces and tabs (RFC 9110 §5.6.3).
    package var trimmed: ArraySlice<UInt8> {
        var rest = self
        while let first = rest.first, ASCII.isBlank(first) { rest = rest.dropFirst() }
        while let last = rest.last, ASCII.isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}

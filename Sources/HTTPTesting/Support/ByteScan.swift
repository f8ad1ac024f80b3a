import HTTPSupport

/// Searches at the speed of the C library also in debug builds, in which tests run.
extension [UInt8] {
    /// The index of the first `byte` in `range`.
    package func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes[range])
            guard let base = part.baseAddress, let found = memchr(base, Int32(byte), part.count) else { return nil }
            return range.lowerBound + (UnsafeRawPointer(found) - base)
        }
    }
}

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

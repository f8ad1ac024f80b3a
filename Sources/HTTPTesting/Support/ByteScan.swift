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
        while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
        while let last = rest.last, last == 0x20 || last == 0x09 { rest = rest.dropLast() }
        return rest
    }

    /// Whether it is a token (RFC 9110 §5.6.2): at least one byte, and every byte a letter, digit or one of 15 signs.
    package var isToken: Bool {
        !isEmpty && withUnsafeBytes { bytes in !bytes.contains { !$0.isTokenByte } }
    }
}

extension UInt8 {
    fileprivate var isTokenByte: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E: true
        default: false
        }
    }

    /// Whether the byte may not occur in a field value (RFC 9110 §5.5): a control character other than tab.
    package var isForbiddenInValue: Bool { (self < 0x20 && self != 0x09) || self == 0x7F }
}

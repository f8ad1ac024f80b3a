import HTTPSupport

/// Byte-level rules shared by the message types: ASCII case and the RFC 9110 §5.6.2 token.
@usableFromInline package enum ASCII {
    @inlinable @inline(__always)
    package static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    @inlinable @inline(__always)
    package static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    @inlinable @inline(__always)
    package static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    @inlinable @inline(__always)
    package static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 6 }

    /// The value of a hexadecimal digit; nil for any other byte.
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        guard isHexDigit(byte) else { return nil }
        return isDigit(byte) ? byte - UInt8(ascii: "0") : lowercased(byte) - UInt8(ascii: "a") + 10
    }

    /// A number of digits only: `Int64` itself would take a sign. Nil for anything else, and for one that is too large.
    @inlinable
    package static func number(_ text: some StringProtocol) -> Int64? {
        text.utf8.allSatisfy(isDigit) ? Int64(text) : nil
    }

    /// A control character: below space, or DEL.
    @inlinable @inline(__always)
    package static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    /// A character of a scheme after its first letter (RFC 3986 §3.1).
    @inlinable @inline(__always)
    package static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    /// A character that ends the authority of a URL (RFC 3986 §3.2).
    @inlinable @inline(__always)
    package static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// `0x0A`: an unprintable byte, for a message.
    package static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16, uppercase: true)
    }

    /// `text` with control characters escaped as `\n` or `\u{1B}`, so that it stays on one line of a log. Invisible
    /// characters beyond ASCII are escaped too: a terminal acts on `\u{9B}`, and others end a line, change the writing
    /// direction or make two names look alike. An octet of a field that is not UTF-8 is `\xE9`.
    package static func printable(_ text: String) -> String {
        guard text.utf8.contains(where: { isControl($0) || $0 >= 0x80 }) else { return text }
        var line = ""
        FieldOctets.forEachScalar(of: text) { scalar, isOctet in
            if isOctet {
                line += "\\x" + hex(UInt8(scalar.value)).dropFirst(2)
            } else if isPrintable(scalar) {
                line.unicodeScalars.append(scalar)
            } else {
                line += scalar.escaped(asASCII: true)
            }
        }
        return line
    }

    /// Whether a scalar is visible and does not move the text around it.
    package static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return !isControl(UInt8(scalar.value)) }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return false
        default: return !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// `text` in quotes on one line, with invisible characters escaped.
    package static func quoted(_ text: String) -> String { printable(text.debugDescription) }

    /// Whether `text` is a token: one or more of the characters allowed in method and header names.
    package static func isToken(_ text: some StringProtocol) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(isToken) ?? Array(text.utf8).withUnsafeBufferPointer(isToken)
    }

    /// Whether `value` is a valid field value: no control characters except tabs, and no space or tab at its ends (RFC
    /// 9110 §5.5).
    package static func isFieldValue(_ value: String) -> Bool {
        value.utf8.withContiguousStorageIfAvailable(isFieldValue)
            ?? Array(value.utf8).withUnsafeBufferPointer(isFieldValue)
    }

    private static func isFieldValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = bytes.first, let last = bytes.last else { return true }
        guard !isBlank(first), !isBlank(last) else { return false }
        return isFreeOfControls(bytes)
    }

    /// White space of JSON (RFC 8259 §2) and XML.
    @inlinable @inline(__always)
    package static func isJSONSpace(_ byte: UInt8) -> Bool { isBlank(byte) || byte == 0x0A || byte == 0x0D }

    /// A space or a tab: optional whitespace (RFC 9110 §5.6.3).
    @inlinable @inline(__always)
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether `byte` may occur in a token: letters, digits and `!#$%&'*+-.^_`|~`.
    @inlinable @inline(__always)
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        // One bit for each of the characters, from 0 to 63 and from 64 to 127: every byte of every header name is
        // checked here.
        let set: UInt64 = byte < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return byte < 0x80 && set >> UInt64(byte & 63) & 1 == 1
    }

    /// Whether two texts have the same bytes: `==` holds for Unicode-equivalent texts, too, which differ on the wire.
    package static func areIdentical(_ lhs: String, _ rhs: String) -> Bool {
        let (left, right) = (lhs.utf8, rhs.utf8)
        guard left.count == right.count else { return false }
        let inOnePiece = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                guard let one = left.baseAddress, let other = right.baseAddress else { return true }
                return memcmp(one, other, left.count) == 0
            }
        }
        return (inOnePiece ?? nil) ?? left.elementsEqual(right)
    }

    /// Whether two names are equal, compared without case. It is on the path of every header look-up: most names differ
    /// in length, and the bytes of the rest are contiguous.
    package static func equalsIgnoringCase(_ lhs: some StringProtocol, _ rhs: some StringProtocol) -> Bool {
        let (left, right) = (lhs.utf8, rhs.utf8)
        guard left.count == right.count else { return false }
        let inOnePiece = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in equalsIgnoringCase(left, right) }
        }
        return (inOnePiece ?? nil) ?? zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
    }

    /// For two names of the same length.
    private static func equalsIgnoringCase(
        _ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        for index in left.indices where lowercased(left[index]) != lowercased(right[index]) { return false }
        return true
    }

    package static func lowercased(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(where: { $0 &- 0x41 < 26 }) else { return String(text) }
        return String(decoding: text.utf8.map(lowercased), as: UTF8.self)
    }

    /// `text` without leading and trailing spaces and tabs (RFC 9110 §5.6.3, optional whitespace).
    package static func trimmed(_ text: Substring) -> Substring {
        // By bytes: a combining mark after a space would form one character with it.
        let rest = text.utf8.drop(while: isBlank)
        guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return Substring(rest) }
        return Substring(rest[...last])
    }
}

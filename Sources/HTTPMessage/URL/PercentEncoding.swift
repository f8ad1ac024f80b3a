import HTTPSupport

/// Percent-encoding (RFC 3986 §2.1) of the parts of a URL.
package enum PercentEncoding {
    /// Encodes one path segment, or the name or value of a query item: everything but the unreserved characters, so
    /// that `/` and `?` stay data, and `+`, `&`, `=` and space mean the same under URL and form rules.
    package static func component(_ text: String) -> String { encode(text, keeping: isUnreserved) }

    /// Encodes the value of a query item that is a list: as above, but the commas between the elements stay.
    static func queryList(_ text: String) -> String {
        encode(text) { isUnreserved($0) || $0 == UInt8(ascii: ",") }
    }

    /// The target in the form of the request line. An empty path becomes `/`, dot segments are resolved, and invalid
    /// characters are percent-encoded. A percent sign that starts no escape stays, as in browsers.
    static func target(_ text: Substring) -> String {
        let encoded = encode(String(text), keeping: isURLByte)
        let rooted = encoded.utf8.first == UInt8(ascii: "/") ? encoded : "/" + encoded
        return DotSegments.mayOccur(in: rooted) ? DotSegments.removed(fromTarget: rooted) : rooted
    }

    /// `text` without its percent escapes; nil when they do not form UTF-8.
    package static func decode(_ text: Substring) -> String? {
        let (bytes, isBroken) = decoded(text.utf8)
        return isBroken ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// The bytes of `text` without its percent escapes, and whether one is broken. That one stays.
    package static func decoded<Bytes: Collection<UInt8>>(_ text: Bytes) -> (bytes: [UInt8], isBroken: Bool)
    where Bytes.SubSequence == Bytes {
        var (bytes, isBroken): ([UInt8], Bool) = ([], false)
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            var digits = rest.prefix(2).makeIterator()
            if let high = digits.next().flatMap(ASCII.hexValue), let low = digits.next().flatMap(ASCII.hexValue) {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
                isBroken = true
            }
        }
        return (bytes, isBroken)
    }

    /// Refuses what no program means in a path and query. `text` is a part of what the program gave.
    static func check(_ text: Substring) throws(URLProblem) {
        let bare = firstBareEscape(in: text)
        for index in text.utf8.indices[..<(bare ?? text.endIndex)] {
            switch text.utf8[index] {
            case 0x20: throw URLProblem("contains a space", at: index, of: text, "write it %20")
            case UInt8(ascii: "\\"):
                throw URLProblem("contains a backslash", at: index, of: text, "write a path with / or encode it as %5C")
            case UInt8(ascii: "<") where text.utf8[index...].starts(with: Redaction.mask.utf8):
                throw URLProblem(
                    "contains \(Redaction.mask)", at: index, of: text, "it is a printed URL: use its `string`")
            default: continue
            }
        }
        guard let bare else { return }
        throw URLProblem(
            "has a \"%\" that starts no escape", at: bare, of: text, "a percent sign itself is written %25")
    }

    /// The first `%` that two hexadecimal digits do not follow.
    private static func firstBareEscape(in text: Substring) -> String.Index? {
        var rest = text.utf8[...]
        while let index = rest.firstIndex(of: UInt8(ascii: "%")) {
            let digits = text.utf8[text.utf8.index(after: index)...].prefix(2)
            guard digits.count == 2, digits.allSatisfy(ASCII.isHexDigit) else { return index }
            rest = text.utf8[digits.endIndex...]
        }
        return nil
    }

    static func encode(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        let isAllKept = text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy(isKept) }
        guard !(isAllKept ?? text.utf8.allSatisfy(isKept)) else { return text }
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count + 16)
        for byte in text.utf8 {
            if isKept(byte) {
                out.append(byte)
            } else {
                out.append(UInt8(ascii: "%"))
                out.append(hexDigit(byte >> 4))
                out.append(hexDigit(byte & 15))
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Writes a query item's name or value; see `component`.
    static func write(_ text: String, to writer: inout ByteWriter) {
        if text.utf8.withContiguousStorageIfAvailable({ write($0, to: &writer) }) == nil {
            for byte in text.utf8 { write(byte, to: &writer) }
        }
    }

    private static func write(_ bytes: UnsafeBufferPointer<UInt8>, to writer: inout ByteWriter) {
        guard !bytes.allSatisfy(isUnreserved) else { return writer.append(bytes) }
        for byte in bytes { write(byte, to: &writer) }
    }

    @inline(__always)
    private static func write(_ byte: UInt8, to writer: inout ByteWriter) {
        guard !isUnreserved(byte) else { return writer.append(byte) }
        writer.append(UInt8(ascii: "%"))
        writer.append(hexDigit(byte >> 4))
        writer.append(hexDigit(byte & 15))
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// An unreserved character: letters, digits and `-._~` (RFC 3986 §2.3).
    @inline(__always)
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        // One bit for each character, from 0 to 63 and from 64 to 127.
        let set: UInt64 = byte < 64 ? 0x03FF_6000_0000_0000 : 0x47FF_FFFE_87FF_FFFE
        return byte < 0x80 && set >> UInt64(byte & 63) & 1 == 1
    }

    /// A character of user information: unreserved, escapes, sub-delimiters and `:` (RFC 3986 §3.2.1).
    static func isUserinfoByte(_ byte: UInt8) -> Bool { isUnreserved(byte) || "%!$&'()*+,;=:".utf8.contains(byte) }

    /// A byte that may occur in a path or query and does not begin an escape.
    @inline(__always)
    static func isPlainURLByte(_ byte: UInt8) -> Bool {
        // One bit for each of the unreserved characters and `!$&'()*+,;=:@/?[]`, from 0 to 63 and from 64 to 127.
        let set: UInt64 = byte < 64 ? 0xAFFF_FFD2_0000_0000 : 0x47FF_FFFE_AFFF_FFFF
        return byte < 0x80 && set >> UInt64(byte & 63) & 1 == 1
    }

    /// A byte allowed in a path or query: `pchar`, `/`, `?`, and the `%` of an escape. Browsers leave `[` and `]` in a
    /// query unencoded, and servers accept them there.
    private static func isURLByte(_ byte: UInt8) -> Bool { isPlainURLByte(byte) || byte == UInt8(ascii: "%") }
}

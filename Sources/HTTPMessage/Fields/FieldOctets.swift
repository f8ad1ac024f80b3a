/// The octets of a field value as text, and back.
///
/// A value that is valid UTF-8 is that text. In any other, each octet from 0x80 on is its ISO-8859-1 character (RFC 9110
/// §5.5) followed by the invisible U+E0100, so that it looks right, and goes out again as the same octet wherever the
/// text is put.
package enum FieldOctets {
    /// VARIATION SELECTOR-17, which no text uses behind a character of ISO-8859-1.
    static let mark: Unicode.Scalar = "\u{E0100}"
    /// The first byte of its UTF-8.
    private static let firstOfMark: UInt8 = 0xF3

    /// Every sequence of octets has a text of its own.
    package static func text(_ octets: UnsafeBufferPointer<UInt8>) -> String {
        // Nearly all are ASCII, for which there is a shorter way.
        if ASCII.isASCII(octets) { return String(decoding: octets, as: UTF8.self) }
        if let text = String(validating: octets, as: UTF8.self),
            !mayHaveMark(text) || !text.unicodeScalars.contains(mark)
        {
            return text
        }
        var text = String.UnicodeScalarView()
        for octet in octets {
            text.append(Unicode.Scalar(octet))
            if octet >= 0x80 { text.append(mark) }
        }
        return String(text)
    }

    package static func text(_ octets: some Sequence<UInt8>) -> String { Array(octets).withUnsafeBufferPointer(text) }

    /// Whether `text` may have octets that are not its UTF-8; `octets(_:)` tells.
    package static func mayHaveMark(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.contains(firstOfMark) } ?? text.utf8.contains(firstOfMark)
    }

    /// The octets that `text` is sent as.
    package static func octets(_ text: String) -> [UInt8] {
        guard mayHaveMark(text) else { return Array(text.utf8) }
        var octets: [UInt8] = []
        octets.reserveCapacity(text.utf8.count)
        forEachScalar(of: text) { scalar, isOctet in
            if isOctet {
                octets.append(UInt8(scalar.value))
            } else {
                octets += UTF8.encode(scalar) ?? UTF8.EncodedScalar()
            }
        }
        return octets
    }

    /// `text` in ISO-8859-1 where it is not UTF-8, for people and for what is not sent again.
    package static func readable(_ text: String) -> String {
        guard mayHaveMark(text) else { return text }
        var readable = String.UnicodeScalarView()
        forEachScalar(of: text) { scalar, _ in readable.append(scalar) }
        return String(readable)
    }

    /// `text` with the octets that are not UTF-8 percent-encoded as they are, for the URL in a field.
    static func percentEncoded(_ text: String) -> String {
        guard mayHaveMark(text) else { return text }
        var encoded = String.UnicodeScalarView()
        forEachScalar(of: text) { scalar, isOctet in
            if isOctet {
                encoded += "%\(ASCII.hex(UInt8(scalar.value)).dropFirst(2))".unicodeScalars
            } else {
                encoded.append(scalar)
            }
        }
        return String(encoded)
    }

    /// The scalars of `text` without the marks behind octets, and whether each is an octet.
    static func forEachScalar(of text: String, _ take: (Unicode.Scalar, _ isOctet: Bool) -> Void) {
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            let isOctet = (0x80...0xFF).contains(scalar.value) && rest.first == mark
            if isOctet { rest.removeFirst() }
            take(scalar, isOctet)
        }
    }
}

extension HTTPHeaders.Field {
    /// A field whose value is sent as these octets (RFC 9110 §5.5, obs-text). It is validated when a request is built.
    public init(name: String, octets: some Sequence<UInt8>) { self.init(name: name, value: FieldOctets.text(octets)) }

    /// The octets of the value, as received or as they are sent.
    public var octets: [UInt8] { FieldOctets.octets(value) }

    /// The value for people: as ISO-8859-1 if its octets are not UTF-8.
    public var text: String { FieldOctets.readable(value) }
}

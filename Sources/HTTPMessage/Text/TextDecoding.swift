package import HTTPFoundation

/// Decodes text by the labels of the WHATWG Encoding Standard: the Unicode encodings and windows-1252 here, the others by
/// the system.
package enum TextDecoding {
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    /// A byte order mark takes precedence over the label (WHATWG encoding §6.1, decode). Text with an unknown label is
    /// tried as UTF-8: the label is more often wrong than the text is anything else.
    package static func decode(_ data: Data, charset label: String?) throws(Problem) -> String {
        guard !isUTF32(data, label) else {
            throw Problem(
                description: "the text is in UTF-32, which is not read here: read the bytes of the body yourself")
        }
        if let (encoding, length) = byteOrderMark(of: data) {
            return try decode(data.dropFirst(length), as: encoding, label: "that its byte order mark says")
        }
        let label = label ?? "utf-8"
        if let encoding = TextEncoding.named(label) { return try decode(data, as: encoding, label: label) }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw Problem(
                description: "the charset \(label.debugDescription) is unknown, and the bytes are no UTF-8 either:"
                    + " give the charset (text(as:)), or read the bytes of the body yourself")
        }
        return text
    }

    /// Whatever the text says itself: only a byte order mark of this encoding is left out.
    package static func decode(_ data: Data, as label: String) throws(Problem) -> String {
        guard let encoding = TextEncoding.named(label) else {
            throw Problem(
                description:
                    "the charset \(label.debugDescription) is unknown here: read the bytes of the body yourself")
        }
        return try decode(withoutMark(data, of: encoding), as: encoding, label: label)
    }

    /// Never fails: what is no text becomes U+FFFD. `override` counts more than a byte order mark, and that more than
    /// `label`. An encoding that is not known here counts as UTF-8.
    package static func decodeLossily(_ data: Data, charset label: String?, override: String?) -> String {
        if let encoding = override.flatMap({ TextEncoding.named($0) }) {
            return text(withoutMark(data, of: encoding), encoding)
        }
        if let (encoding, length) = byteOrderMark(of: data) { return text(data.dropFirst(length), encoding) }
        return text(data, label.flatMap { TextEncoding.named($0) } ?? .utf8)
    }

    private static func decode(_ data: Data, as encoding: TextEncoding, label: String) throws(Problem) -> String {
        let text: String?
        switch encoding {
        case .utf8: text = String(validating: data, as: UTF8.self)
        case .utf16BigEndian, .utf16LittleEndian:
            text = data.count.isMultiple(of: 2) ? String(validating: units(data, encoding), as: UTF16.self) : nil
        case .windows1252: text = Windows1252.decode(data)
        default:
            switch SystemDecoder.decode(data, as: encoding, isLossy: false) {
            case .text(let decoded): text = decoded
            case .invalid: text = nil
            case .missing:
                guard encoding.containsASCII, data.allSatisfy({ $0 < 0x80 }) else {
                    throw Problem(
                        description:
                            "the iconv of this system does not have the charset \(label): install its character"
                            + " sets (the gconv modules of glibc), or read the bytes of the body yourself")
                }
                text = String(decoding: data, as: UTF8.self)
            }
        }
        guard let text else {
            throw Problem(description: "the bytes are not valid in the charset \(label)")
        }
        return text
    }

    private static func text(_ data: Data, _ encoding: TextEncoding) -> String {
        switch encoding {
        case .utf8: return String(decoding: data, as: UTF8.self)
        case .utf16BigEndian, .utf16LittleEndian:
            let text = String(decoding: units(data, encoding), as: UTF16.self)
            return data.count.isMultiple(of: 2) ? text : text + "\u{FFFD}"
        case .windows1252: return Windows1252.decode(data)
        default:
            if case .text(let text) = SystemDecoder.decode(data, as: encoding, isLossy: true) { return text }
            return String(decoding: data, as: UTF8.self)
        }
    }

    private static func byteOrderMark(of data: Data) -> (TextEncoding, length: Int)? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if data.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        if data.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        return nil
    }

    /// By its byte order mark, which begins like that of UTF-16, or by a label that zeros confirm. UTF-32 is no encoding of
    /// the standard, by which its text is one in UTF-16 or UTF-8 that is full of zeros.
    private static func isUTF32(_ data: Data, _ label: String?) -> Bool {
        data.starts(with: [0xFF, 0xFE, 0, 0]) || data.starts(with: [0, 0, 0xFE, 0xFF])
            || (label?.hasPrefix("utf-32") == true && data.prefix(4).contains(0))
    }

    private static func withoutMark(_ data: Data, of encoding: TextEncoding) -> Data {
        guard let mark = byteOrderMark(of: data), mark.0 == encoding else { return data }
        return data.dropFirst(mark.length)
    }

    /// Without the last byte of an odd number.
    private static func units(_ data: Data, _ encoding: TextEncoding) -> [UInt16] {
        let bytes = [UInt8](data)
        let (high, low) = encoding == .utf16BigEndian ? (0, 1) : (1, 0)
        return stride(from: 0, to: bytes.count - 1, by: 2).map { place in
            UInt16(bytes[place + high]) << 8 | UInt16(bytes[place + low])
        }
    }
}

/// The windows-1252 index of the WHATWG encoding standard (§9).
private enum Windows1252 {
    /// 0x80 to 0x9F. Any other byte is its own code point.
    private static let upper: [UInt32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D,
        0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x9D, 0x017E, 0x0178,
    ]

    static func decode(_ data: Data) -> String {
        var text = String.UnicodeScalarView()
        for byte in data {
            let value = (0x80...0x9F).contains(byte) ? upper[Int(byte) - 0x80] : UInt32(byte)
            // Every entry is a scalar value: the table contains no surrogates.
            text.append(Unicode.Scalar(value) ?? Unicode.Scalar(byte))
        }
        return String(text)
    }
}

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Decodes text by the labels of the WHATWG encoding standard.
package enum TextDecoding {
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    private enum Charset { case utf8, utf16BigEndian, utf16LittleEndian, windows1252 }

    /// A byte order mark takes precedence over the label (WHATWG encoding §6.1, decode).
    package static func decode(_ data: Data, charset label: String?) throws(Problem) -> String {
        if let (charset, length) = byteOrderMark(of: data) {
            return try decode(data.dropFirst(length), as: charset, label: "that its byte order mark says")
        }
        return try decode(data, as: try charset(named: label ?? "utf-8"), label: label)
    }

    private static func decode(_ data: Data, as charset: Charset, label: String?) throws(Problem) -> String {
        let text: String? =
            switch charset {
            case .utf8: String(validating: data, as: UTF8.self)
            case .utf16BigEndian: utf16(data) { UInt16($0) << 8 | UInt16($1) }
            case .utf16LittleEndian: utf16(data) { UInt16($1) << 8 | UInt16($0) }
            case .windows1252: Windows1252.decode(data)
            }
        guard let text else {
            throw Problem(description: "the bytes are not valid in the charset \(label ?? "utf-8")")
        }
        return text
    }

    private static func byteOrderMark(of data: Data) -> (Charset, length: Int)? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if data.starts(with: [0xFE, 0xFF]) { return (.utf16BigEndian, 2) }
        if data.starts(with: [0xFF, 0xFE]) { return (.utf16LittleEndian, 2) }
        return nil
    }

    private static func charset(named label: String) throws(Problem) -> Charset {
        switch label {
        case "utf-8", "utf8", "unicode-1-1-utf-8": .utf8
        case "utf-16", "utf-16le", "unicode", "ucs-2": .utf16LittleEndian
        case "utf-16be": .utf16BigEndian
        // The encoding standard maps all of these to windows-1252, as browsers do.
        case "us-ascii", "ascii", "iso-8859-1", "iso8859-1", "latin1", "l1", "windows-1252", "cp1252": .windows1252
        default:
            throw Problem(description: "the charset \"\(label)\" is unknown here: read the bytes of the body yourself")
        }
    }

    private static func utf16(_ data: Data, unit: (UInt8, UInt8) -> UInt16) -> String? {
        guard data.count.isMultiple(of: 2) else { return nil }
        let bytes = [UInt8](data)
        let units = stride(from: 0, to: bytes.count, by: 2).map { unit(bytes[$0], bytes[$0 + 1]) }
        return String(validating: units, as: UTF16.self)
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

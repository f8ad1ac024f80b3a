#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

import HTTPCore

/// Inputs as a text file, one per line, with control characters and bytes beyond ASCII as `\n`, `\r`, `\t`, `\\` or
/// `\xHH`. Lines that begin with `#` are comments.
enum SeedFile {
    static func inputs(_ path: String) -> [[UInt8]]? {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return data.split(separator: 0x0A).filter { $0.first != UInt8(ascii: "#") }.map { unescaped(Array($0)) }
    }

    static func line(_ input: [UInt8]) -> String {
        let line = input.reduce(into: "") { line, byte in
            switch byte {
            case 0x0A: line += "\\n"
            case 0x0D: line += "\\r"
            case 0x09: line += "\\t"
            case 0x5C: line += "\\\\"
            case 0x20...0x7E: line.unicodeScalars.append(Unicode.Scalar(byte))
            default: line += escape(byte)
            }
        }
        return line.hasPrefix("#") ? escape(UInt8(ascii: "#")) + line.dropFirst() : line
    }

    private static func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }

    private static func unescaped(_ line: [UInt8]) -> [UInt8] {
        var input: [UInt8] = []
        var rest = line[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let sign = rest.popFirst() else {
                input.append(byte)
                continue
            }
            switch sign {
            case UInt8(ascii: "n"): input.append(0x0A)
            case UInt8(ascii: "r"): input.append(0x0D)
            case UInt8(ascii: "t"): input.append(0x09)
            case UInt8(ascii: "x"):
                input.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            default: input.append(sign)
            }
        }
        return input
    }
}

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What Foundation's coders of property lists leave to their callers. The decoder does not survive some lists: it calls
/// itself for each level of nesting, also of a binary list that contains itself, and traps at some octets that are not
/// UTF-8. Everything else it refuses itself. The encoder writes some XML that cannot be read.
package enum PropertyListDefect {
    private static let depthLimit = 512
    private static let tooDeep = "it is nested more than \(depthLimit) levels deep"

    /// Nil if the decoder may read `body`.
    package static func find(in body: Data) -> String? {
        if body.starts(with: "bplist".utf8) { return BinaryList(body).flatMap { inBinary($0) } }
        let isUTF16 = body.starts(with: [0xFF, 0xFE]) || body.starts(with: [0xFE, 0xFF])
        let start = body.starts(with: [0xEF, 0xBB, 0xBF]) ? body.dropFirst(3) : body
        guard isUTF16 || start.first(where: { !ASCII.isJSONSpace($0) }) == UInt8(ascii: "<") else { return nil }
        do throws(TextDecoding.Problem) {
            return inXML([UInt8](try TextDecoding.decode(body, charset: "utf-8").utf8))
        } catch { return "\(error)" }
    }

    /// Nil if `xml`, which the encoder has written, can be read.
    package static func inWritten(_ xml: Data) -> String? {
        // They are written as they are (XML 1.0 §2.2).
        if let byte = xml.first(where: { $0 < 0x20 && !ASCII.isJSONSpace($0) }) {
            return "XML has no control character \(ASCII.hex(byte))"
        }
        return longDate(in: xml).map { "a date before year 0 or after year 9999, \($0)" }
    }

    /// A date whose year has not four digits, in the XML of Foundation, which writes one for NaN, too.
    private static func longDate(in xml: Data) -> String? {
        var rest = xml[...]
        while let tag = rest.firstRange(of: "<date>".utf8) {
            let date = rest[tag.upperBound...].prefix { $0 != UInt8(ascii: "<") }
            guard date.count == 20, date.prefix(4).allSatisfy(ASCII.isDigit) else {
                return String(decoding: date, as: UTF8.self)
            }
            rest = rest[date.endIndex...]
        }
        return nil
    }

    private static func inXML(_ text: [UInt8]) -> String? {
        var depth = 0
        var rest = text[...]
        while let tag = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = text[(tag + 1)...]
            let end: String
            switch rest.first {
            case UInt8(ascii: "!"):
                end = rest.starts(with: "!--".utf8) ? "-->" : rest.starts(with: "![CDATA[".utf8) ? "]]>" : "!"
            case UInt8(ascii: "?"): end = "?>"
            case UInt8(ascii: "/"):
                depth = max(depth - 1, 0)
                continue
            default:
                guard let close = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
                if text[close - 1] != UInt8(ascii: "/") { depth += 1 }
                if depth > depthLimit { return tooDeep }
                rest = text[(close + 1)...]
                continue
            }
            // `firstRange(of:)` takes twenty times as long.
            guard let found = rest.indices.first(where: { rest[$0...].starts(with: end.utf8) }) else { return nil }
            rest = text[(found + end.utf8.count)...]
        }
        return nil
    }

    /// A walk in depth that enters each object once.
    private static func inBinary(_ list: BinaryList) -> String? {
        // Objects that do not overlap have no more.
        var referencesLeft = list.byteCount
        /// The greatest number of levels from each object that was left; 0 for one that was entered alone.
        var heights: [Int: Int] = [:]
        var path = [(object: list.top, elements: list.elements(of: list.top), height: 1)]
        heights[list.top] = 0
        while let last = path.indices.last {
            guard let next = path[last].elements.popLast() else {
                let left = path.removeLast()
                heights[left.object] = left.height
                if let parent = path.indices.last { path[parent].height = max(path[parent].height, left.height + 1) }
                continue
            }
            switch heights[next] {
            case 0?: return "it contains itself"
            case let height?: path[last].height = max(path[last].height, height + 1)
            case nil where next >= list.count: continue
            case nil:
                heights[next] = 0
                let elements = list.elements(of: next)
                referencesLeft -= elements.count
                path.append((object: next, elements: elements, height: 1))
            }
            if referencesLeft < 0 { return "its objects overlap" }
            if path.count > depthLimit || path[last].height > depthLimit { return tooDeep }
        }
        return nil
    }
}

/// The objects of a binary property list: a number stands for each.
private struct BinaryList {
    let top: Int
    var byteCount: Int { bytes.count }

    let count: Int

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let table: Int

    /// Nil if the numbers at its end cannot be.
    init?(_ body: Data) {
        bytes = [UInt8](body)
        guard bytes.count >= 40 else { return nil }
        let trailer = bytes.count - 32
        (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes, trailer + 8, 8), let top = Self.number(bytes, trailer + 16, 8),
            let table = Self.number(bytes, trailer + 24, 8), count <= trailer, top < count, table <= trailer
        else { return nil }
        (self.count, self.top, self.table) = (count, top, table)
    }

    /// The objects that an array, a set or a dictionary refers to; none for any other object.
    func elements(of object: Int) -> [Int] {
        guard let place = Self.number(bytes, table + object * offsetSize, offsetSize), place < bytes.count,
            case let kind = bytes[place] >> 4, (0xA...0xD).contains(kind)
        else { return [] }
        var start = place + 1
        var length = Int(bytes[place] & 15)
        if length == 15 {
            guard start < bytes.count, bytes[start] >> 4 == 1, case let size = 1 << Int(bytes[start] & 15), size <= 8,
                let long = Self.number(bytes, start + 1, size), long <= bytes.count
            else { return [] }
            (start, length) = (start + 1 + size, long)
        }
        let references = kind == 0xD ? 2 * length : length
        guard references * referenceSize <= bytes.count - start else { return [] }
        // Those to no object count, too: each of them is read.
        return (0..<references).map { Self.number(bytes, start + $0 * referenceSize, referenceSize) ?? .max }
    }

    /// Nil if it does not lie within the bytes, or is greater than any length.
    private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
        guard start <= bytes.count - size else { return nil }
        let value = bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value < UInt64(Int32.max) ? Int(value) : nil
    }
}

package import HTTPFoundation

/// What Foundation's coders of property lists leave to their callers. The decoder does not survive some lists: it calls
/// itself for each level of nesting, also of a binary list that contains itself, reads an object as often as the list
/// refers to it, and traps at some octets that are not UTF-8. Everything else it refuses itself. The encoder writes some
/// XML that cannot be read.
package enum PropertyListDefect {
    private static let depthLimit = 512
    /// Of values, where 64 bytes of a text or of data count as one.
    private static let valueLimit = 1_000_000
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
        // A list that refers to each of its collections once has no more.
        let valueLimit = max(valueLimit, list.byteCount)
        /// From each object that was left: the greatest number of levels, 0 for one that was entered alone, and the
        /// number of values.
        var known: [Int: (height: Int, values: Int)] = [list.top: (0, 0)]
        var path = [(object: list.top, elements: list.elements(of: list.top), extent: (height: 1, values: 1))]
        while let last = path.indices.last {
            var below: (height: Int, values: Int)?
            if let next = path[last].elements.popLast() {
                below = known[next]
                if below?.height == 0 { return "it contains itself" }
                if below == nil, next < list.count {
                    known[next] = (0, 0)
                    let elements = list.elements(of: next)
                    referencesLeft -= elements.count
                    path.append((object: next, elements: elements, extent: (1, 1 + list.contentSize(of: next) / 64)))
                }
            } else {
                let left = path.removeLast()
                known[left.object] = left.extent
                below = left.extent
            }
            guard let open = path.indices.last else { break }
            if let below {
                path[open].extent.height = max(path[open].extent.height, below.height + 1)
                path[open].extent.values += below.values
            }
            if referencesLeft < 0 { return "its objects overlap" }
            if path.count > depthLimit || path[open].extent.height > depthLimit { return tooDeep }
            if path[open].extent.values > valueLimit {
                return "its references expand to more than \(valueLimit) values"
            }
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
        guard let (kind, start, length) = content(of: object), (0xA...0xD).contains(kind) else { return [] }
        let references = kind == 0xD ? 2 * length : length
        guard references * referenceSize <= bytes.count - start else { return [] }
        // Those to no object count, too: each of them is read.
        return (0..<references).map { Self.number(bytes, start + $0 * referenceSize, referenceSize) ?? .max }
    }

    /// The number of bytes of data or a text; 0 for any other object.
    func contentSize(of object: Int) -> Int {
        guard let (kind, _, length) = content(of: object), (0x4...0x6).contains(kind) else { return 0 }
        return kind == 0x6 ? 2 * length : length
    }

    /// The kind of an object, where its content begins, and how many elements, characters or bytes it has.
    private func content(of object: Int) -> (kind: UInt8, start: Int, length: Int)? {
        guard let place = Self.number(bytes, table + object * offsetSize, offsetSize), place < bytes.count else {
            return nil
        }
        let kind = bytes[place] >> 4
        let (start, length) = (place + 1, Int(bytes[place] & 15))
        guard length == 15 else { return (kind, start, length) }
        guard start < bytes.count, bytes[start] >> 4 == 1, case let size = 1 << Int(bytes[start] & 15), size <= 8,
            let long = Self.number(bytes, start + 1, size), long <= bytes.count
        else { return nil }
        return (kind, start + 1 + size, long)
    }

    /// Nil if it does not lie within the bytes, or is greater than any length.
    private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
        guard start <= bytes.count - size else { return nil }
        let value = bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return value < UInt64(Int32.max) ? Int(value) : nil
    }
}

/// Characters, names, references and values at the place of the parser, and errors that name it.
extension DocumentParser {
    var current: UInt8? { place < bytes.count ? bytes[place] : nil }

    func isBlank(at place: Int) -> Bool { place < bytes.count && ASCII.isJSONSpace(bytes[place]) }

    @discardableResult mutating func skipBlanks() -> Bool {
        let start = place
        while let next = current, ASCII.isJSONSpace(next) { place += 1 }
        return place > start
    }

    func starts(with text: StaticString) -> Bool { isThere(text, at: place) }

    func isThere(_ text: StaticString, at place: Int) -> Bool {
        guard place + text.utf8CodeUnitCount <= bytes.count else { return false }
        return text.withUTF8Buffer { bytes[place..<place + text.utf8CodeUnitCount].elementsEqual($0) }
    }

    /// Where `text` begins, between the two places.
    func find(_ text: StaticString, from start: Int, to end: Int) -> Int? {
        let first = text.withUTF8Buffer { $0[0] }
        var place = start
        while place < end, let next = bytes[place..<end].firstIndex(of: first) {
            if isThere(text, at: next) { return next }
            place = next + 1
        }
        return nil
    }

    mutating func skip(past text: StaticString, of what: String) throws(DocumentProblem) {
        guard let end = find(text, from: place, to: bytes.count) else { throw problem("\(what) has no end") }
        try check(place..<end)
        place = end + text.utf8CodeUnitCount
    }

    mutating func expect(_ text: StaticString, _ position: String) throws(DocumentProblem) {
        guard starts(with: text) else { throw problem("\(text) is missing \(position)") }
        place += text.utf8CodeUnitCount
    }

    /// A name. Characters beyond ASCII are not told apart.
    mutating func name(_ what: String) throws(DocumentProblem) -> String {
        let start = place
        while let next = current, Self.isNameByte(next) { place += 1 }
        guard place > start, Self.isNameStart(bytes[start]) else {
            throw problem("\(what) is missing", at: start)
        }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private static func isNameStart(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || byte >= 0x80 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isNameStart(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static let entities =
        ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"] as [String: Unicode.Scalar]

    /// The character that a reference stands for: `&#233;`, `&#xE9;`, `&amp;`.
    mutating func reference() throws(DocumentProblem) -> Unicode.Scalar {
        let end = bytes[place...].prefix(100).firstIndex(of: UInt8(ascii: ";")) ?? place + 1
        let name = bytes[place + 1..<end]
        let text = String(decoding: name, as: UTF8.self)
        let isNumber = name.first == UInt8(ascii: "#")
        guard isNumber || name.first.map(Self.isNameStart) == true, name.dropFirst().allSatisfy(Self.isNameByte) else {
            throw problem("& begins no reference: write &amp; for the character")
        }
        guard let character = isNumber ? Self.character(text.dropFirst()) : Self.entities[text] else {
            throw problem(
                isNumber
                    ? "&\(text); is not a character"
                    : "the entity \(text) is not one of the five of XML: let the server write the character itself")
        }
        place = end + 1
        return character
    }

    /// That of a number, which is hexadecimal behind an x.
    private static func character(_ number: Substring) -> Unicode.Scalar? {
        let value = number.first == "x" ? UInt32(number.dropFirst(), radix: 16) : UInt32(number)
        guard let value, value >= 0x20 || [0x09, 0x0A, 0x0D].contains(value), value != 0xFFFE, value != 0xFFFF else {
            return nil
        }
        return Unicode.Scalar(value)
    }

    /// The value of an attribute, in which white space is a space (XML 1.0 §3.3.3).
    mutating func attributeValue(of attribute: String) throws(DocumentProblem) -> String {
        guard let quote = current, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw problem("the value of the attribute \(attribute) is not in quotes")
        }
        place += 1
        guard let end = bytes[place...].firstIndex(of: quote) else {
            throw problem("the value of the attribute \(attribute) has no end")
        }
        try check(place..<end)
        var value: [UInt8] = []
        // A reference contains no quotes, so none reaches beyond the end.
        while place < end {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "<"): throw problem("< in the value of an attribute")
            case UInt8(ascii: "&"): value += Array(String(try reference()).utf8)
            default:
                value.append(ASCII.isJSONSpace(byte) ? UInt8(ascii: " ") : byte)
                place += 1
            }
        }
        place = end + 1
        return String(decoding: value, as: UTF8.self)
    }

    /// Control characters are not allowed anywhere.
    func check(_ range: Range<Int>) throws(DocumentProblem) {
        guard let place = bytes[range].firstIndex(where: { $0 < 0x20 && !ASCII.isJSONSpace($0) }) else { return }
        let digits = ASCII.hex(bytes[place]).dropFirst(2)
        throw problem("the control character U+00\(digits) is not allowed", at: place)
    }

    /// At that place, by default where the parser is.
    func problem(_ reason: String, at place: Int? = nil) -> DocumentProblem {
        DocumentProblem(reason, after: bytes[..<(place ?? self.place)])
    }
}

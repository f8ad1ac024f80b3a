/// The characters at the place of the parser, and errors that name it.
extension DocumentParser {
    var byte: UInt8 { source.bytes[source.place] }

    var current: UInt8? { source.place < source.bytes.count ? source.bytes[source.place] : nil }

    func isBlank(at place: Int) -> Bool { place < source.bytes.count && ASCII.isJSONSpace(source.bytes[place]) }

    @discardableResult mutating func skipBlanks() -> Bool {
        let start = source.place
        while let next = current, ASCII.isJSONSpace(next) { source.place += 1 }
        return source.place > start
    }

    func starts(with text: StaticString) -> Bool { isThere(text, at: source.place) }

    func isThere(_ text: StaticString, at place: Int) -> Bool {
        guard place + text.utf8CodeUnitCount <= source.bytes.count else { return false }
        return text.withUTF8Buffer { source.bytes[place..<place + text.utf8CodeUnitCount].elementsEqual($0) }
    }

    /// Where `text` begins, between the two places.
    func find(_ text: StaticString, from start: Int, to end: Int) -> Int? {
        let first = text.withUTF8Buffer { $0[0] }
        var place = start
        while place < end, let next = source.bytes[place..<end].firstIndex(of: first) {
            if isThere(text, at: next) { return next }
            place = next + 1
        }
        return nil
    }

    mutating func skip(past text: StaticString, of what: String) throws(DocumentProblem) {
        guard let end = find(text, from: source.place, to: source.bytes.count) else {
            throw problem("\(what) has no end")
        }
        try check(source.place..<end)
        source.place = end + text.utf8CodeUnitCount
    }

    mutating func expect(_ text: StaticString, _ place: String) throws(DocumentProblem) {
        guard starts(with: text) else { throw problem("\(text) is missing \(place)") }
        source.place += text.utf8CodeUnitCount
    }

    /// A name. Characters beyond ASCII are not told apart.
    mutating func name(_ what: String) throws(DocumentProblem) -> String {
        let start = source.place
        while let next = current, DocumentReference.isNameByte(next) { source.place += 1 }
        guard source.place > start, DocumentReference.isNameStart(source.bytes[start]) else {
            throw problem("\(what) is missing", at: start)
        }
        return String(decoding: source.bytes[start..<source.place], as: UTF8.self)
    }

    /// Control characters are not allowed anywhere.
    func check(_ range: Range<Int>) throws(DocumentProblem) {
        guard let place = source.bytes[range].firstIndex(where: { $0 < 0x20 && !ASCII.isJSONSpace($0) }) else { return }
        let digits = ASCII.hex(source.bytes[place]).dropFirst(2)
        throw problem("the control character U+00\(digits) is not allowed", at: place)
    }

    /// At that place of the current source, by default where the parser is. Within an entity, it is where that is used.
    func problem(_ reason: String, at place: Int? = nil) -> DocumentProblem {
        guard let document = outer.first, let entity = source.entity else {
            return DocumentProblem(reason, after: source.bytes[..<(place ?? source.place)])
        }
        return DocumentProblem("\(reason), in the entity \(entity)", after: document.bytes[..<document.place])
    }
}

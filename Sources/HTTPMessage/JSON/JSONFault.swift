import HTTPFoundation

/// The first place where a text is not JSON (RFC 8259). The decoder says only that there is one.
package struct JSONFault: Error {
    let reason: String
    let line: Int
    /// In characters.
    let column: Int
    let path: [any CodingKey]

    var sentence: String { "\(reason), \(position)" }
    package var position: String { "in line \(line), column \(column)" }

    /// Nil if `body` is JSON, or is not in UTF-8.
    static func find(in body: Data) -> JSONFault? {
        // UTF-16 and UTF-32 have zeros.
        guard !body.prefix(4).contains(0), !body.starts(with: [0xFF, 0xFE]), !body.starts(with: [0xFE, 0xFF]) else {
            return nil
        }
        var scanner = JSONScanner(bytes: [UInt8](body))
        do throws(JSONScanner.Fault) { try scanner.scan() } catch {
            let before = scanner.bytes[..<scanner.place]
            let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            return JSONFault(
                reason: error.reason, line: before.count { $0 == UInt8(ascii: "\n") } + 1,
                column: before[start...].count { $0 & 0xC0 != 0x80 } + 1, path: scanner.path)
        }
        return nil
    }
}

/// A value of JSON that does not fit into the type that is asked for.
package struct JSONMisfit: Error {
    /// The decoder's error.
    let cause: any Error
}

/// Reads JSON without making anything of it, and without recursion.
private struct JSONScanner {
    struct Fault: Error { let reason: String }

    /// The nesting that the decoder reads at most.
    private static let depthLimit = 512

    let bytes: [UInt8]
    private(set) var place = 0
    /// A key with an index for each array around the place, and one with a name for each object.
    private(set) var path: [PlainKey] = []

    private var current: UInt8? { place < bytes.count ? bytes[place] : nil }

    private func fault(_ reason: String) -> Fault { Fault(reason: reason) }

    private mutating func skipBlanks() {
        while let next = current, ASCII.isJSONSpace(next) { place += 1 }
    }

    mutating func scan() throws(Fault) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
        while true {
            // A value begins here.
            skipBlanks()
            let isNested = current == UInt8(ascii: "[") || current == UInt8(ascii: "{")
            // Nor is more memory taken for the path than such a text needs.
            guard !isNested || path.count < Self.depthLimit else {
                throw fault("it is nested more than \(Self.depthLimit) levels deep")
            }
            switch current {
            case UInt8(ascii: "["):
                place += 1
                skipBlanks()
                if current == UInt8(ascii: "]") {
                    place += 1
                } else {
                    path.append(PlainKey(intValue: 0))
                    continue
                }
            case UInt8(ascii: "{"):
                place += 1
                skipBlanks()
                if current == UInt8(ascii: "}") {
                    place += 1
                } else {
                    try member()
                    continue
                }
            case UInt8(ascii: "\""): _ = try string()
            case let byte? where byte == UInt8(ascii: "-") || ASCII.isDigit(byte): try number()
            case nil: throw fault(path.isEmpty ? "nothing but white space" : "the text ends within a value")
            case _?: try literal()
            }
            if try !next() { return }
        }
    }

    /// Behind a value: moves to the next one. False at the end.
    private mutating func next() throws(Fault) -> Bool {
        while true {
            skipBlanks()
            guard let step = path.last else {
                if current == nil { return false }
                throw fault("text after the value")
            }
            let close = step.intValue == nil ? UInt8(ascii: "}") : UInt8(ascii: "]")
            let kind = step.intValue == nil ? "object" : "array"
            guard let byte = current else { throw fault("the text ends within an \(kind)") }
            place += 1
            if byte == close {
                path.removeLast()
                continue
            }
            guard byte == UInt8(ascii: ",") else {
                place -= 1
                throw fault("a comma is missing in an \(kind)")
            }
            skipBlanks()
            // Foundation reads a comma too many.
            if current == close { continue }
            path.removeLast()
            if let index = step.intValue { path.append(PlainKey(intValue: index + 1)) } else { try member() }
            return true
        }
    }

    /// Before its name is read, the place is that of the object.
    private mutating func member() throws(Fault) {
        guard current == UInt8(ascii: "\"") else { throw fault("the name of a member is missing") }
        path.append(PlainKey(stringValue: try string()))
        skipBlanks()
        guard current == UInt8(ascii: ":") else { throw fault("a colon is missing after the name of a member") }
        place += 1
    }

    private mutating func literal() throws(Fault) {
        for word in ["true", "false", "null"] where bytes[place...].starts(with: word.utf8) {
            return place += word.utf8.count
        }
        let word = String(
            decoding: bytes[place...].prefix { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A }.prefix(20), as: UTF8.self)
        throw fault(word.isEmpty ? "a value is missing" : "\(word) is not a JSON value")
    }

    private mutating func number() throws(Fault) {
        if current == UInt8(ascii: "-") { place += 1 }
        let start = place
        guard digits() else { throw fault("a number without digits") }
        guard place == start + 1 || bytes[start] != UInt8(ascii: "0") else {
            place = start
            throw fault("a number begins with a zero")
        }
        if current == UInt8(ascii: ".") {
            place += 1
            guard digits() else { throw fault("a number without digits after its point") }
        }
        guard let mark = current, mark | 0x20 == UInt8(ascii: "e") else { return }
        place += 1
        if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { place += 1 }
        guard digits() else { throw fault("a number without digits in its exponent") }
    }

    private mutating func digits() -> Bool {
        let start = place
        while let next = current, ASCII.isDigit(next) { place += 1 }
        return place > start
    }

    /// Returns it as it is written, without the quotes.
    private mutating func string() throws(Fault) -> String {
        place += 1
        let start = place
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                place += 1
                return String(decoding: bytes[start..<place - 1], as: UTF8.self)
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20:
                let digits = ASCII.hex(byte).dropFirst(2)
                throw fault("a string contains the control character U+00\(digits), which must be escaped")
            case 0..<0x80: place += 1
            default:
                let length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                guard place + length <= bytes.count,
                    String(validating: bytes[place..<place + length], as: UTF8.self) != nil
                else { throw fault("a string contains octets that are not UTF-8 (\(ASCII.hex(byte)))") }
                place += length
            }
        }
        throw fault("the text ends within a string")
    }

    private mutating func escape() throws(Fault) {
        let start = place
        guard place + 1 < bytes.count else { throw fault("the text ends within a string") }
        guard bytes[place + 1] == UInt8(ascii: "u") else {
            guard "\"\\/bfnrt".utf8.contains(bytes[place + 1]) else {
                throw fault("a string contains an escape that does not exist")
            }
            return place += 2
        }
        let unit = try unicode()
        if (0xDC00..<0xE000).contains(unit) || (0xD800..<0xDC00).contains(unit) {
            let isFirst = unit < 0xDC00
            let hasSecond =
                isFirst && place + 1 < bytes.count && bytes[place] == UInt8(ascii: "\\")
                && bytes[place + 1] == UInt8(ascii: "u")
            if hasSecond, (0xDC00..<0xE000).contains(try unicode()) { return }
            place = start
            throw fault("a string contains the lone surrogate \\u" + String(unit, radix: 16))
        }
    }

    /// `\u00e9`
    private mutating func unicode() throws(Fault) -> UInt16 {
        let digits = bytes[min(place + 2, bytes.count)..<min(place + 6, bytes.count)]
        guard digits.count == 4, digits.allSatisfy(ASCII.isHexDigit),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw fault("a string contains an escape that does not exist") }
        place += 6
        return unit
    }
}

extension Data {
    /// Whether there is nothing in it but white space of JSON and XML.
    package var isBlank: Bool { allSatisfy(ASCII.isJSONSpace) }
}

extension JSONDecoder {
    /// Like `decode`; an error says what is wrong with the text, and where.
    package func explained<Value: Decodable>(_ type: Value.Type, from body: Data) throws -> Value {
        do { return try decodeForeign(type, from: body) } catch DecodingError.dataCorrupted(let context)
            where !(context.underlyingError is JSONFault) && !body.isEmpty
        {
            // Also of an error that has a place: a type that tries several forms, as `JSONValue` does, hides the decoder's.
            if let fault = JSONFault.find(in: body) {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: fault.path, debugDescription: fault.sentence, underlyingError: fault))
            }
            guard context.codingPath.isEmpty else { throw DecodingError.dataCorrupted(context) }
            // It is a number, of which the decoder does not say which.
            do {
                _ = try decodeForeign(Respelled<Value, SameSpelling>.self, from: body)
            } catch DecodingError.dataCorrupted(let located)
                where !located.codingPath.isEmpty || located.underlyingError is JSONMisfit
            {
                throw DecodingError.dataCorrupted(located)
            } catch {}
            throw DecodingError.dataCorrupted(context)
        }
    }

    /// The same for a text that is no response. What a type's own `init(from:)` throws is the cause of a `DecodingError`.
    package func value<Value: Decodable>(_ type: Value.Type, from text: Data) throws(DecodingError) -> Value {
        do { return try explained(type, from: text) } catch let error as DecodingError { throw error } catch {
            throw .dataCorrupted(.init(codingPath: [], debugDescription: "\(error)", underlyingError: error))
        }
    }
}

extension JSONDecoder {
    /// `decode` for a text that others wrote. Foundation ends the process at the 513th bracket within another if the text
    /// ends right there, so a blank follows a last bracket; a text that has one is not JSON in any case.
    package func decodeForeign<Value: Decodable>(_ type: Value.Type, from text: Data) throws -> Value {
        guard text.last(where: { $0 != 0 }).map({ $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) == true else {
            return try decode(type, from: text)
        }
        // UTF-16 and UTF-32 have zeros, behind or before a bracket.
        let blank: [UInt8] =
            text.last == 0
            ? [0x20, 0, 0, 0]
            : text.prefix(4).contains(0) || text.starts(with: [0xFE, 0xFF]) ? [0, 0, 0, 0x20] : [0x20]
        return try decode(type, from: text + blank)
    }
}

extension JSONEncoder {
    /// `encode` for a body that is sent. Foundation writes `NaN` for a `Decimal` that is no number.
    package func encodeValid(_ value: some Encodable) throws -> Data {
        let text = try encode(value)
        guard text.withUnsafeBytes(mentionsNaN), let fault = JSONFault.find(in: text) else { return text }
        throw EncodingError.invalidValue(value, .init(codingPath: fault.path, debugDescription: fault.reason))
    }
}

private func mentionsNaN(_ text: UnsafeRawBufferPointer) -> Bool {
    var rest = text[...]
    while let place = rest.firstIndex(of: UInt8(ascii: "N")) {
        rest = rest[place...]
        if rest.starts(with: "NaN".utf8) { return true }
        rest = rest.dropFirst()
    }
    return false
}

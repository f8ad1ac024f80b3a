import HTTPFoundation

/// Decodes from one place in a document.
struct XMLValueDecoder: Decoder {
    enum Source {
        /// The root, or an element of an array.
        case element(DocumentElement)
        /// The elements with a key's name.
        case elements([DocumentElement])
        /// An attribute, or an element's own text.
        case text(String)
        /// Several names that a key could mean.
        case ambiguous([String])
    }

    let source: Source
    let codingPath: [any CodingKey]
    let options: XMLBodyDecoder
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(XMLKeyedContainer<Key>(try element(), at: codingPath, options))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch source {
        case .element(let element):
            XMLUnkeyedContainer(elements: element.children, codingPath: codingPath, options: options)
        case .elements(let elements): XMLUnkeyedContainer(elements: elements, codingPath: codingPath, options: options)
        case .text: throw problem("it is an attribute, not a list of elements")
        case .ambiguous(let names): throw ambiguity(names)
        }
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    /// The single element here.
    private func element() throws -> DocumentElement {
        switch source {
        case .element(let element): return element
        case .elements(let elements) where elements.count == 1: return elements[0]
        case .elements(let elements) where elements.isEmpty: throw missing
        case .elements(let elements): throw problem("there are \(elements.count) elements where one was expected")
        case .text: throw problem("it is text where elements were expected")
        case .ambiguous(let names): throw ambiguity(names)
        }
    }

    private func text() throws -> String {
        if case .text(let text) = source { return text }
        let element = try element()
        guard element.children.isEmpty else { throw problem("it contains elements where a value was expected") }
        return element.text
    }

    private var missing: DecodingError {
        guard let key = codingPath.last else { return problem("it is missing") }
        return .keyNotFound(key, .init(codingPath: codingPath.dropLast(), debugDescription: "it is missing"))
    }

    private func ambiguity(_ names: [String]) -> DecodingError {
        problem("it could be any of \(names.joined(separator: ", ")): use one of these as the key")
    }

    private func problem(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: ASCII.printable(reason)))
    }
}

extension XMLValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool {
        switch source {
        case .element(let element): element.isNil
        case .elements(let elements): elements.count == 1 && elements[0].isNil
        case .text, .ambiguous: false
        }
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let special: Any? =
            switch type {
            case is Date.Type: try value("not a date", options.dates.parse)
            case is Data.Type: try data()
            case is URL.Type: try value("no URL") { URL(string: $0) }
            case is Decimal.Type: try value("not a number", Self.decimal)
            default: nil
            }
        // Unwrapped first: a nil `Any?` would be cast to an optional `Value`, as its nil.
        guard let special, let value = special as? Value else { return try Value(from: self) }
        return value
    }

    func decode(_: String.Type) throws -> String { try text() }

    func decode(_: Bool.Type) throws -> Bool { try value("not a Boolean") { Self.booleans[$0] } }

    private static let booleans = ["true": true, "1": true, "false": false, "0": false]

    /// Of each type of number that a container asks for.
    func decode<Number: LosslessStringConvertible & Decodable>(_ type: Number.Type) throws -> Number {
        try value("no \(Number.self)", Number.init)
    }

    // The standard library has implementations for these, which throw.
    func decode(_: Int128.Type) throws -> Int128 { try value("no Int128", Int128.init) }
    func decode(_: UInt128.Type) throws -> UInt128 { try value("no UInt128", UInt128.init) }

    /// The text here as `parse` reads it; nil for one that is, in words, `fault`.
    private func value<Value>(_ fault: @autoclosure () -> String, _ parse: (String) -> Value?) throws -> Value {
        let text = try trimmed()
        guard let value = parse(text) else { throw problem("\(text.debugDescription) is \(fault())") }
        return value
    }

    private func data() throws -> Data {
        // Line breaks may be anywhere in it, but no other character: Foundation would leave those out, too.
        let text = try text().utf8.filter { !ASCII.isJSONSpace($0) }
        guard let data = Data(base64Encoded: Data(text)) else {
            throw problem("it is not base64")
        }
        return data
    }

    private static func decimal(_ text: String) -> Decimal? {
        // `Decimal` itself reads the beginning of a text and ignores the rest: "1,5" would be 1, and "0x10" and "-INF" be 0.
        let isHexadecimal = text.utf8.contains { $0 | 0x20 == UInt8(ascii: "x") }
        guard Double(text)?.isFinite == true, !isHexadecimal else { return nil }
        return Decimal(string: text)
    }

    private func trimmed() throws -> String {
        let text = try text()
        let blanks: Set<Character> = [" ", "\t", "\n", "\r", "\r\n"]
        let start = text.drop { blanks.contains($0) }
        let count = start.reversed().prefix { blanks.contains($0) }.count
        return String(start.dropLast(count))
    }
}

/// An element, its contents by key.
struct XMLKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let element: DocumentElement
    let codingPath: [any CodingKey]
    private let options: XMLBodyDecoder
    private let children: NameIndex
    private let attributes: NameIndex

    init(_ element: DocumentElement, at codingPath: [any CodingKey], _ options: XMLBodyDecoder) {
        self.element = element
        self.codingPath = codingPath
        self.options = options
        children = NameIndex(element.children.map(\.name), namespaces: options.namespaces)
        attributes = NameIndex(element.attributes.map(\.name), namespaces: options.namespaces)
    }

    var allKeys: [Key] {
        let names = children.keys
        let known = Set(names)
        return (names + attributes.keys.filter { !known.contains($0) }).compactMap(Key.init(stringValue:))
    }

    func contains(_ key: Key) -> Bool {
        if case .elements(let elements) = place(of: key) { !elements.isEmpty } else { true }
    }

    func decodeNil(forKey key: Key) throws -> Bool { decoder(key).decodeNil() }

    /// Also of the basic types, each of which decodes itself from one value.
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try decoder(key).decode(type) }

    // The standard library has implementations for these, which throw.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try decoder(key).decode(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try decoder(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        XMLValueDecoder(source: .element(element), codingPath: codingPath, options: options)
    }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder(key) }

    private func decoder(_ key: Key) -> XMLValueDecoder {
        XMLValueDecoder(source: place(of: key), codingPath: codingPath + [key], options: options)
    }

    private func place(of key: Key) -> XMLValueDecoder.Source {
        switch children.match(key.stringValue) {
        case .ambiguous(let names): return .ambiguous(names)
        case .places(let places) where !places.isEmpty: return .elements(places.map { element.children[$0] })
        case .places: break
        }
        switch attributes.match(key.stringValue) {
        case .ambiguous(let names): return .ambiguous(names)
        case .places(let places):
            if let first = places.first { return .text(element.attributes[first].value) }
        }
        return key.stringValue == "#text" ? .text(element.text) : .elements([])
    }
}

/// Elements by position.
struct XMLUnkeyedContainer: UnkeyedDecodingContainer {
    let elements: [DocumentElement]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0
    let options: XMLBodyDecoder

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNil else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try decoder(for: type).decode(type)
        currentIndex += 1
        return value
    }

    // The standard library has implementations for these, which throw.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try decodeNumber(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeNumber(type) }

    private mutating func decodeNumber<Value: Decodable>(_ type: Value.Type) throws -> Value { try decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        defer { currentIndex += 1 }
        return try decoder(for: type).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        defer { currentIndex += 1 }
        return try decoder(for: [Any].self).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        defer { currentIndex += 1 }
        return try decoder(for: Any.self)
    }

    private func decoder(for type: Any.Type) throws -> XMLValueDecoder {
        let path = codingPath + [PlainKey(intValue: currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                type, .init(codingPath: path, debugDescription: "there are only \(elements.count) elements"))
        }
        return XMLValueDecoder(source: .element(elements[currentIndex]), codingPath: path, options: options)
    }
}

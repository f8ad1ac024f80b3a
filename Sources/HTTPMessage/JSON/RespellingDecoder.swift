import HTTPFoundation

/// How the names of properties are spelled in a document.
protocol KeySpelling {
    static func written(_ name: String) -> String
    /// The property that a key is read as if none is written like it.
    static func name(of key: String) -> String
}

/// As they are.
enum SameSpelling: KeySpelling {
    static func written(_ name: String) -> String { name }
    static func name(of key: String) -> String { key }
}

/// A value whose keys have another spelling in the document.
struct Respelled<Value: Decodable, Spelling: KeySpelling>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        let inner = RespellingDecoder<Spelling>(decoder)
        guard isSpecial(Value.self) else {
            value = try Value(from: inner)
            return
        }
        let container = try decoder.singleValueContainer()
        value = try located(Value.self, decoder.codingPath) { try container.decode(Value.self) }
    }
}

/// Types that a decoder treats in a way of its own.
private func isSpecial(_ type: Any.Type) -> Bool {
    type == Date.self || type == Data.self || type == URL.self || type == Decimal.self
}

/// Passes everything on to another decoder but the spelling of keys, and adds to errors the place that is missing in them.
private struct RespellingDecoder<Spelling: KeySpelling>: Decoder {
    let base: any Decoder

    init(_ base: any Decoder) { self.base = base }

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RespelledKeys<Key, Spelling>(try base.container(keyedBy: PlainKey.self)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        RespelledList<Spelling>(base: try base.unkeyedContainer())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        RespelledValue<Spelling>(base: try base.singleValueContainer())
    }
}

/// A value of a basic type. Foundation's decoder throws an error of its own for a number that does not fit, and adds no
/// place to it.
private func located<Value>(
    _ type: Any.Type, _ path: @autoclosure () -> [any CodingKey], _ decode: () throws -> Value
) throws -> Value {
    do { return try decode() } catch  where !(error is DecodingError) {
        throw DecodingError.dataCorrupted(
            .init(
                codingPath: path(), debugDescription: "the value does not fit into \(type)",
                underlyingError: JSONMisfit(cause: error)))
    }
}

private struct RespelledKeys<Key: CodingKey, Spelling: KeySpelling>: KeyedDecodingContainerProtocol {
    private let base: KeyedDecodingContainer<PlainKey>
    /// The keys of the document by the property that they are read as.
    private let keys: [String: PlainKey]

    init(_ base: KeyedDecodingContainer<PlainKey>) {
        self.base = base
        keys =
            Spelling.self == SameSpelling.self
            ? [:] : Dictionary(base.allKeys.map { (Spelling.name(of: $0.stringValue), $0) }) { first, _ in first }
    }

    var codingPath: [any CodingKey] { base.codingPath }

    var allKeys: [Key] {
        base.allKeys.compactMap {
            Key(stringValue: $0.stringValue) ?? Key(stringValue: Spelling.name(of: $0.stringValue))
        }
    }

    private func place(of key: Key) -> PlainKey {
        let name = key.stringValue
        let same = PlainKey(stringValue: name)
        if Spelling.self == SameSpelling.self || base.contains(same) { return same }
        let written = PlainKey(stringValue: Spelling.written(name))
        return base.contains(written) ? written : keys[name] ?? written
    }

    func contains(_ key: Key) -> Bool { base.contains(place(of: key)) }

    private func read<Value>(
        _ type: Value.Type, _ key: Key, _ decode: (Value.Type, PlainKey) throws -> Value
    ) throws -> Value {
        try located(type, codingPath + [key]) { try named(key) { try decode(type, $0) } }
    }

    /// A missing key is called as the property is.
    private func named<Value>(_ key: Key, _ decode: (PlainKey) throws -> Value) throws -> Value {
        do { return try decode(place(of: key)) } catch DecodingError.keyNotFound(let missing, let context)
            where context.codingPath.count == codingPath.count
        {
            throw DecodingError.keyNotFound(missing is PlainKey ? key : missing, context)
        }
    }

    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: place(of: key)) }

    func decode<Value: BasicValue>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try read(type, key, base.decode)
    }
    // The standard library has implementations for these, which throw.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try read(type, key, base.decode) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try read(type, key, base.decode) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try named(key) { place in
            isSpecial(type)
                ? try base.decode(type, forKey: place)
                : try base.decode(Respelled<Value, Spelling>.self, forKey: place).value
        }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(
            RespelledKeys<Nested, Spelling>(
                try named(key) { try base.nestedContainer(keyedBy: PlainKey.self, forKey: $0) }))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        RespelledList<Spelling>(base: try named(key) { try base.nestedUnkeyedContainer(forKey: $0) })
    }

    func superDecoder() throws -> any Decoder { RespellingDecoder<Spelling>(try base.superDecoder()) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        RespellingDecoder<Spelling>(try base.superDecoder(forKey: place(of: key)))
    }
}

private struct RespelledList<Spelling: KeySpelling>: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer

    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        isSpecial(type) ? try base.decode(type) : try base.decode(Respelled<Value, Spelling>.self).value
    }
    // The standard library has implementations for these, which throw.
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try base.decode(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try base.decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        KeyedDecodingContainer(RespelledKeys<Nested, Spelling>(try base.nestedContainer(keyedBy: PlainKey.self)))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        RespelledList(base: try base.nestedUnkeyedContainer())
    }

    mutating func superDecoder() throws -> any Decoder { RespellingDecoder<Spelling>(try base.superDecoder()) }
}

private struct RespelledValue<Spelling: KeySpelling>: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer

    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: BasicValue>(_ type: Value.Type) throws -> Value {
        try located(type, codingPath) { try base.decode(type) }
    }
    // The standard library has implementations for these, which throw.
    func decode(_ type: Int128.Type) throws -> Int128 { try located(type, codingPath) { try base.decode(type) } }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try located(type, codingPath) { try base.decode(type) } }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        isSpecial(type) ? try base.decode(type) : try base.decode(Respelled<Value, Spelling>.self).value
    }
}

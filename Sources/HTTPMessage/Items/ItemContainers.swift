struct ItemKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ItemEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Nil is left out.
    func encodeNil(forKey key: Key) {}

    func encode(_ value: some Encodable, forKey key: Key) throws { try member(key).encode(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> { member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { member(PlainKey(stringValue: "super")) }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }

    private func member(_ key: any CodingKey) -> ItemEncoder {
        encoder.nested(encoder.node.addMember(key.stringValue), key)
    }
}

struct ItemListContainer: UnkeyedEncodingContainer {
    let encoder: ItemEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    private(set) var count = 0

    /// Nil is left out.
    mutating func encodeNil() { count += 1 }

    mutating func encode(_ value: some Encodable) throws { try element().encode(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> { element().container(keyedBy: type) }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }

    mutating func superEncoder() -> any Encoder { element() }

    private mutating func element() -> ItemEncoder {
        defer { count += 1 }
        return encoder.nested(encoder.node.addElement(), PlainKey(intValue: count))
    }
}

struct ItemScalarContainer: SingleValueEncodingContainer {
    let encoder: ItemEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    /// Nil is left out.
    func encodeNil() {}

    func encode(_ value: some Encodable) throws { try encoder.encode(value) }
}

/// The parts of an encoded value, not yet named. It lives only during the encoding.
final class ItemNode {
    enum Kind { case nothing, scalar, list, object }

    var kind = Kind.nothing
    /// The text of a scalar.
    private(set) var text = ""
    /// The children of a list or an object.
    private(set) var children: [ItemNode] = []
    /// The names of an object's children.
    private(set) var names: [String] = []
    /// Set for a dictionary, whose order has no meaning.
    var sortsNames = false

    func setScalar(_ text: String) { (kind, self.text) = (.scalar, text) }

    func addElement() -> ItemNode {
        let element = ItemNode()
        children.append(element)
        return element
    }

    func addMember(_ name: String) -> ItemNode {
        names.append(name)
        return addElement()
    }

    /// An object's members in the order they are written.
    var members: [(name: String, node: ItemNode)] {
        let members = zip(names, children).map { (name: $0, node: $1) }
        guard sortsNames else { return members }
        return members.sorted { $0.name.unicodeScalars.lexicographicallyPrecedes($1.name.unicodeScalars) }
    }
}

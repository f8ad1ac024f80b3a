import HTTPFoundation

/// Encodes a value into a node; `style` spells the leaf values.
struct ItemEncoder: Encoder {
    let node: ItemNode
    let style: QueryStyle
    var codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.kind = .object
        return KeyedEncodingContainer(ItemKeyedContainer<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.kind = .list
        return ItemListContainer(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { ItemScalarContainer(encoder: self) }

    /// An encoder for a value nested in this one's.
    func nested(_ node: ItemNode, _ key: any CodingKey) -> ItemEncoder {
        ItemEncoder(node: node, style: style, codingPath: codingPath + CollectionOfOne(key))
    }

    func encode(_ value: some Encodable) throws {
        let text: String?
        do { text = try scalar(value) } catch {
            throw EncodingError.invalidValue(
                value, EncodingError.Context(codingPath: codingPath, debugDescription: error.description))
        }
        if let text { return node.setScalar(text) }
        node.sortsNames = value is any KeyedWithoutOrder
        try value.encode(to: self)
    }

    /// The text of a value that is one item; nil for a value that encodes itself in parts.
    private func scalar(_ value: some Encodable) throws(ItemProblem) -> String? {
        switch value {
        case let value as any BasicValue: try style.text(value)
        case let value as Date: try style.text(value)
        case let value as Data: value.base64EncodedString()
        case let value as URL: value.absoluteString
        case let value as Decimal: value.isNaN ? try style.text(Double.nan) : value.description
        default: nil
        }
    }
}

/// The types that encoders and decoders know themselves. An item has their plain text.
protocol BasicValue: LosslessStringConvertible, Decodable {}
extension String: BasicValue {}
extension Bool: BasicValue {}
extension Int: BasicValue {}
extension Int8: BasicValue {}
extension Int16: BasicValue {}
extension Int32: BasicValue {}
extension Int64: BasicValue {}
extension Int128: BasicValue {}
extension UInt: BasicValue {}
extension UInt8: BasicValue {}
extension UInt16: BasicValue {}
extension UInt32: BasicValue {}
extension UInt64: BasicValue {}
extension UInt128: BasicValue {}
extension Float: BasicValue {}
extension Double: BasicValue {}

private protocol KeyedWithoutOrder {}
extension Dictionary: KeyedWithoutOrder {}

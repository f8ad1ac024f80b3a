#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        case let value as any PlainItem: try style.text(value)
        case let value as Date: try style.text(value)
        case let value as Data: value.base64EncodedString()
        case let value as URL: value.absoluteString
        case let value as Decimal: value.isNaN ? try style.text(Double.nan) : value.description
        default: nil
        }
    }
}

/// The values that `encode` writes by their plain text.
private protocol PlainItem: LosslessStringConvertible {}
extension String: PlainItem {}
extension Bool: PlainItem {}
extension Int: PlainItem {}
extension Int8: PlainItem {}
extension Int16: PlainItem {}
extension Int32: PlainItem {}
extension Int64: PlainItem {}
extension Int128: PlainItem {}
extension UInt: PlainItem {}
extension UInt8: PlainItem {}
extension UInt16: PlainItem {}
extension UInt32: PlainItem {}
extension UInt64: PlainItem {}
extension UInt128: PlainItem {}
extension Float: PlainItem {}
extension Double: PlainItem {}

private protocol KeyedWithoutOrder {}
extension Dictionary: KeyedWithoutOrder {}

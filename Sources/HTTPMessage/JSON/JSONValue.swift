import HTTPFoundation

/// A JSON value of any shape (RFC 8259), for JSON without a Swift type.
///
///     let name = try response.json()["user"]["name"].string
///
/// Integers that fit into 64 bits are exact; other numbers are the nearest `Double`. If a member name occurs more than
/// once, one member is kept. The order of members is lost. Neither has a meaning in JSON.
///
/// Arrays and objects may be nested up to `depthLimit`; deeper nesting is an error. `json(depthLimit:)` and
/// `depthLimitKey` raise it.
public enum JSONValue: Sendable, Hashable {
    /// `null`; also the result of a subscript for a missing member.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A signed 64-bit integer.
    case integer(Int64)
    /// An integer beyond `Int64` that fits into `UInt64`.
    case unsigned(UInt64)
    /// Any other number, as the nearest `Double`. A whole one, such as 1.0, is decoded as `integer`.
    case number(Double)
    /// A string, unescaped.
    case string(String)
    /// An array, in order.
    case array([JSONValue])
    /// An object. Its members have no order.
    case object([String: JSONValue])

    /// The maximum nesting of arrays and objects that is decoded: 64. Each level takes about 4 KiB of stack, and a
    /// thread may have only 512 KiB.
    public static let depthLimit = 64

    /// Another limit, as an `Int`, in the `userInfo` of a decoder. Foundation's own is 512.
    public static let depthLimitKey = CodingUserInfoKey(rawValue: "Straightline.JSONValue.depthLimit")

    /// The member of that name; null if there is none, or if this is not an object.
    public subscript(name: String) -> JSONValue {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    /// The element at that index; null if there is none, or if this is not an array.
    public subscript(index: Int) -> JSONValue {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
    }

    /// Whether this is `null`, as a missing member is.
    public var isNull: Bool { self == .null }

    /// The Boolean; nil for anything else.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The string; nil for anything else. Numbers are not converted.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number if it is an integer that fits; nil for anything else.
    public var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number as a `Double`, rounded if necessary; nil for anything else.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The elements; nil for anything but an array.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members; nil for anything but an object.
    public var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}

extension JSONValue: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .unsigned(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if decoder.codingPath.count >= Self.depthLimit(of: decoder) {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription:
                    "it is nested more than \(Self.depthLimit(of: decoder)) levels deep; json(depthLimit:)"
                    + " and JSONValue.depthLimitKey raise the limit")
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else if (try? decoder.container(keyedBy: PlainKey.self)) != nil {
            self = .object(try container.decode([String: JSONValue].self))
        } else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a number or string of JSON that has no value here")
        }
    }

    private static func depthLimit(of decoder: any Decoder) -> Int {
        depthLimitKey.flatMap { decoder.userInfo[$0] as? Int } ?? depthLimit
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// Compact JSON, its names sorted. A number that JSON lacks is its name in quotes: `"nan"`.
    public var description: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "JSONValue"
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) {
        self =
            Int64(exactly: value).map(JSONValue.integer) ?? UInt64(exactly: value).map(JSONValue.unsigned)
            ?? .number(value)
    }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// If a name occurs more than once, the last member counts.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members) { $1 })
    }
}

/// JSON as a value (RFC 8259), for what has no type of its own.
///
///     let name = try response.json()["user"]["name"].string
///
/// Numbers keep their exact value where they are integers of 64 bits; others are the nearest `Double`. Of members with one
/// name the decoder keeps one, and the order of members is lost: neither means anything in JSON.
///
/// Arrays and objects may be nested `depthLimit` deep; deeper nesting is an error.
public enum JSONValue: Sendable, Hashable {
    /// `null`; also the result of a subscript for a missing member.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer that fits into 64 bits with a sign.
    case integer(Int64)
    /// Beyond Int64.
    case unsigned(UInt64)
    /// Any other number, as the nearest `Double`.
    case number(Double)
    /// A string, escapes undone.
    case string(String)
    /// An array, in order.
    case array([JSONValue])
    /// An object. Its members have no order.
    case object([String: JSONValue])

    /// The most arrays and objects in one another that are decoded: 64. Each takes about 4 KiB of stack, and a thread may
    /// have no more than 512.
    public static let depthLimit = 64

    /// The member of that name; null where there is none, or this is no object.
    public subscript(name: String) -> JSONValue {
        if case .object(let members) = self { members[name] ?? .null } else { .null }
    }

    /// The element at that place; null where there is none, or this is no array.
    public subscript(index: Int) -> JSONValue {
        if case .array(let elements) = self, elements.indices.contains(index) { elements[index] } else { .null }
    }

    /// Whether this is `null`, which a missing member is, too.
    public var isNull: Bool { self == .null }

    /// The Boolean; nil for anything else.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The string; nil for anything else. Numbers are not converted.
    public var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// A number that is an integer and fits; nil for any other, and for text.
    public var int: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .unsigned(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number as a `Double`, rounded where it has to be; nil for anything that is no number.
    public var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .unsigned(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The elements; nil for anything that is no array.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members; nil for anything that is no object.
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
        } else if decoder.codingPath.count >= Self.depthLimit {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "it is nested more than \(Self.depthLimit) levels deep")
        } else if (try? decoder.unkeyedContainer()) != nil {
            self = .array(try container.decode([JSONValue].self))
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
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

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Of members with one name the last one counts.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(Dictionary(members) { $1 })
    }
}

extension Response {
    /// The body as JSON; the status is not looked at. A body that is none, or deeper than `JSONValue.depthLimit`, is a
    /// `.decoding` error.
    public func json() throws(HTTPError) -> JSONValue { try decoded(as: JSONValue.self) }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The body as JSON; the status is not looked at.
    public func json() -> Result<JSONValue, HTTPError> { decoded(as: JSONValue.self) }
}

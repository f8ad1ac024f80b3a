#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON as a value, so that two texts can be compared by what they mean (RFC 8259).
package enum JSONValue: Sendable, Hashable, Codable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Beyond Int64.
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
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
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .unsigned(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }

    /// Nil for what is not JSON.
    package init?(_ text: String) {
        guard case .success(let value) = Self.parsed(text) else { return nil }
        self = value
    }

    /// In one spelling for all texts that mean the same.
    package var canonicalText: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    package static func parsed(_ text: String) -> Result<JSONValue, JSONProblem> { parsed(Data(text.utf8)) }

    package static func parsed(_ bytes: Data) -> Result<JSONValue, JSONProblem> {
        Result { try JSONDecoder().decode(JSONValue.self, from: bytes) }
            .mapError { _ in JSONProblem(reason: "cannot be read") }
    }

    package static func encoded(_ value: some Encodable, _ encoder: JSONEncoder) -> Result<JSONValue, JSONProblem> {
        Result { try encoder.encode(value) }.mapError { JSONProblem(reason: "cannot be made: \($0)") }
            .flatMap { parsed($0) }
    }
}

package struct JSONProblem: Error {
    /// Continues a sentence that begins with the JSON.
    package let reason: String
}

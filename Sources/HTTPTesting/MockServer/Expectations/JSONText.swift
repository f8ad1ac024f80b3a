#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON by its meaning: the order of keys and the spacing do not matter.
indirect enum JSONText: Hashable, Decodable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONText])
    case object([String: JSONText])

    /// Nil when `text` is no JSON.
    init?(_ text: String) {
        guard let value = try? JSONDecoder().decode(JSONText.self, from: Data(text.utf8)) else { return nil }
        self = value
    }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            self = .null
        } else if let bool = try? value.decode(Bool.self) {
            self = .bool(bool)
        } else if let number = try? value.decode(Double.self) {
            self = .number(number)
        } else if let string = try? value.decode(String.self) {
            self = .string(string)
        } else if let array = try? value.decode([JSONText].self) {
            self = .array(array)
        } else {
            self = .object(try value.decode([String: JSONText].self))
        }
    }
}

import HTTPFoundation

extension JSONValue {
    package init?(parsing text: String) {
        guard case .success(let value) = Self.parsed(text) else { return nil }
        self = value
    }

    /// The same text for all equal values.
    package var canonicalText: String? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    package static func parsed(_ text: String) -> Result<JSONValue, JSONProblem> { parsed(Data(text.utf8)) }

    package static func parsed(_ bytes: Data) -> Result<JSONValue, JSONProblem> {
        Result { try JSONDecoder().decodeForeign(JSONValue.self, from: bytes) }
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

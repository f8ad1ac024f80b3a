import HTTPFoundation

/// A name, or a place in a list, that belongs to no type.
package struct PlainKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    package init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}

extension DecodingError {
    /// The place in the body, including a missing key.
    package var place: [any CodingKey] {
        switch self {
        case .keyNotFound(let key, let context): context.codingPath + [key]
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            context.codingPath
        @unknown default: []
        }
    }
}

extension [any CodingKey] {
    /// `items[2].name`
    package var path: String {
        reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
    }

    /// ` at items[2].name`, or nothing at the top. A long path is shortened in the middle.
    package var place: String {
        guard count > 16 else {
            let path = path
            return path.isEmpty ? "" : " at \(path)"
        }
        return " at \(Array(prefix(8)).path) … \(Array(suffix(4)).path)"
    }
}

extension JSONValue {
    /// The value at `path` or, if that does not exist, at its last existing element. Nil for the top.
    package func text(at path: [any CodingKey]) -> String? {
        var value = self
        var depth = 0
        for key in path {
            let next = key.intValue.map { value[$0] } ?? value[key.stringValue]
            guard !next.isNull else { break }
            value = next
            depth += 1
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard depth > 0, let bytes = try? encoder.encode(value) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard !Redaction.withholds(text) else { return nil }
        let start = Substring(text.unicodeScalars.prefix(200))
        return ASCII.printable(start.endIndex == text.endIndex ? text : start + " …")
    }
}

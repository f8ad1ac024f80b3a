/// What is wrong with a body, and where: the text of a decoder's error.
package struct DecodingProblem: CustomStringConvertible {
    package let description: String

    package init(_ error: any Error) {
        guard let problem = error as? DecodingError else {
            description = "\(error)"
            return
        }
        description =
            switch problem {
            case .keyNotFound(let key, let context):
                "the key \"\(key.stringValue)\" is missing\(context.codingPath.place)"
            case .typeMismatch(let type, let context):
                Self.mismatch(type, Self.words(context)) + context.codingPath.place
            case .valueNotFound(let type, let context): "null in place of \(type)\(context.codingPath.place)"
            case .dataCorrupted(let context): "unreadable\(context.codingPath.place): \(Self.words(context))"
            @unknown default: "\(problem)"
            }
    }

    /// Foundation's message names both types: `expected Int but found a string`.
    private static func mismatch(_ type: Any.Type, _ words: String) -> String {
        let prefix = "Expected to decode "
        guard words.hasPrefix(prefix) else { return words.isEmpty ? "no \(type)" : "no \(type) (\(words))" }
        let rest = words.dropFirst(prefix.count)
        return "expected \(inWordsOfJSON(rest.hasSuffix(" instead") ? rest.dropLast(8) : rest))"
    }

    /// What JSON has, for what the decoder calls by names of Swift.
    private static func inWordsOfJSON(_ words: Substring) -> String {
        let names = [
            "Dictionary<String, Any>": "an object", "Array<Any>": "an array", "a dictionary": "an object",
            "a string/data": "a string", "a boolean": "a Boolean", "a bool": "a Boolean",
        ]
        // Only at the two places where they stand: a type of the caller may be called likewise.
        guard let middle = words.firstRange(of: " but found ") else { return String(words) }
        let (expected, found) = (String(words[..<middle.lowerBound]), String(words[middle.upperBound...]))
        return "\(names[expected] ?? expected) but found \(names[found] ?? found)"
    }

    private static func words(_ context: DecodingError.Context) -> String {
        let words = context.debugDescription
        return words.hasSuffix(".") ? String(words.dropLast()) : words
    }
}

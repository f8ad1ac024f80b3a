import HTTPFoundation

/// Spells names as `JSONEncoder.KeyEncodingStrategy.convertToSnakeCase` and its counterpart do: the reader must know what
/// the writer makes of a property's name.
enum SnakeCase: KeySpelling {
    /// `user_id` for `userID`. A word begins at an upper-case letter after another one, and at the last of several in
    /// front of a lower-case letter.
    static func written(_ name: String) -> String {
        guard !name.isEmpty else { return name }
        let letters = Array(name.unicodeScalars)
        var words: [Range<Int>] = []
        var (wordStart, search) = (0, 1)
        while let upper = letters[search...].firstIndex(where: { $0.properties.generalCategory == .uppercaseLetter }) {
            words.append(wordStart..<upper)
            guard let lower = letters[upper...].firstIndex(where: { $0.properties.generalCategory == .lowercaseLetter })
            else {
                wordStart = upper
                break
            }
            if lower == upper + 1 {
                wordStart = upper
            } else {
                words.append(upper..<(lower - 1))
                wordStart = lower - 1
            }
            search = lower + 1
        }
        words.append(wordStart..<letters.count)
        return words.map { word in
            var text = String.UnicodeScalarView()
            text.append(contentsOf: letters[word])
            return String(text).lowercased()
        }.joined(separator: "_")
    }

    /// `userId` for `user_id`. Underscores at the beginning and end stay.
    static func name(of key: String) -> String {
        guard let first = key.firstIndex(where: { $0 != "_" }), let last = key.lastIndex(where: { $0 != "_" }) else {
            return key
        }
        let words = key[first...last].split(separator: "_")
        guard words.count > 1 else { return key }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        return key[..<first] + words[0].lowercased() + rest.joined() + key[key.index(after: last)...]
    }
}

/// Reads what an encoder that converts to snake case has written, whatever the properties are called.
///
/// Foundation's own strategy converts the keys of the document, and so cannot know that `user_id` was `userID`. This one
/// converts the name of the property that is asked for.
// It has no state of its own; the compiler wants the conformance of the superclass to be repeated.
final class SnakeCaseDecoder: JSONDecoder, @unchecked Sendable {
    override func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try super.decode(Respelled<Value, SnakeCase>.self, from: data).value
    }
}

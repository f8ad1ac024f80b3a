import HTTPFoundation

/// Decodes the fields of an archive: those that a replay needs must be valid, all others may be anything.
extension KeyedDecodingContainer {
    /// A string, or a number as one; nil for anything else.
    func optionalText(_ key: Key) -> String? {
        if let text = try? decode(String.self, forKey: key) { return text }
        return (try? decode(Int64.self, forKey: key)).map { "\($0)" }
    }

    func text(_ key: Key) -> String { optionalText(key) ?? "" }

    /// A number, or a string that is one; nil for anything else.
    func number(_ key: Key) -> Double? {
        let number = try? decode(Double.self, forKey: key)
        return (number ?? (try? decode(String.self, forKey: key)).flatMap(Double.init)).flatMap {
            $0.isFinite ? $0 : nil
        }
    }

    /// A number of bytes; -1 if it is unknown or invalid.
    func size(_ key: Key) -> Int64 { number(key).map(Self.size) ?? -1 }

    static func size(_ number: Double) -> Int64 { number < 0 ? -1 : Int64(min(number, 9e15)) }

    /// An informative list; empty if it cannot be read.
    func list<Element: Decodable>(_ key: Key) -> [Element] { (try? decode([Element].self, forKey: key)) ?? [] }

    /// A list that may be missing, but must be a list.
    func neededList<Element: Decodable>(_ key: Key) throws -> [Element] {
        try decodeIfPresent([Element].self, forKey: key) ?? []
    }

    func neededText(_ key: Key) throws -> String {
        let text = try decode(String.self, forKey: key)
        guard !text.isEmpty else { throw problem(key, "it is empty") }
        return text
    }

    func checkBase64(_ text: String, _ key: Key) throws {
        guard Data(base64Encoded: text, options: .ignoreUnknownCharacters) != nil else {
            throw problem(key, "it is not in base64, as the field beside it says")
        }
    }

    func problem(_ key: Key, _ reason: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: reason)
    }
}

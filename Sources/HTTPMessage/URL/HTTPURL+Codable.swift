/// As a string with all parts: user information and fragment, too.
extension HTTPURL: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do { try self.init(parsing: text) } catch {
            let shown = ASCII.quoted(Redaction.urlText(text))
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "the URL \(shown) \(error)")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(urlText)
    }
}

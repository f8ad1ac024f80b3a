/// The message in an error body: the problem details of RFC 9457, or what else services write.
package struct ErrorBody: Decodable {
    package let message: String?

    private enum Key: String, CodingKey {
        case error, errors, title
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let own = (try? ErrorText(from: decoder))?.text
        let error = (try? container.decode(ErrorText.self, forKey: .error))?.text
        var list = try? container.nestedUnkeyedContainer(forKey: .errors)
        let listed = (try? list?.decode(ErrorText.self))?.text
        let title = (try? container.decode(String.self, forKey: .title)).flatMap { $0.isEmpty ? nil : $0 }
        message = own ?? error ?? title ?? listed
    }
}

/// A text, or an object with one. Not of any depth: a server decides how deep its bodies are.
private struct ErrorText: Decodable {
    let text: String?

    private enum Key: String, CodingKey, CaseIterable {
        case detail, message
        case errorDescription = "error_description"
        case description, title
    }

    init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.text = text.isEmpty ? nil : text
            return
        }
        let container = try decoder.container(keyedBy: Key.self)
        text = Key.allCases.lazy.compactMap { try? container.decode(String.self, forKey: $0) }.first { !$0.isEmpty }
    }
}

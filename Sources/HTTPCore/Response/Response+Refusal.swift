#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Response {
    /// The refusal as a sentence: `GET https://… answered 404 Not Found: no such user`.
    var refusal: String {
        let words = serverMessage ?? excerpt
        let reason = reason.isEmpty ? "" : " " + ASCII.printable(reason)
        return "\(request) answered \(status)\(reason)\(words.map { ": " + $0 } ?? "")"
    }

    /// The message in a JSON error body, on one line of at most 200 characters: the `detail` or `title` of a problem
    /// (RFC 9457), or a member with a usual name (`message`, `error_description`, `error`). Nil if there is none.
    public var serverMessage: String? {
        guard mediaType?.isJSON == true, let body = try? JSONDecoder().decode(ErrorBody.self, from: body) else {
            return nil
        }
        return body.message.flatMap(Self.line).map(ASCII.printable)
    }

    /// The start of a text body on one line; nil for an empty or binary one.
    var excerpt: String? {
        guard !body.isEmpty, let text = try? text(), let line = Self.line(text) else { return nil }
        return line.utf8.contains(where: ASCII.isControl) ? nil : ASCII.printable(line)
    }

    /// The start of `text` on one line; nil if it is blank.
    private static func line(_ text: String) -> String? {
        let line = text.prefix(200).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !line.isEmpty else { return nil }
        return text.dropFirst(200).isEmpty ? line : line + " …"
    }
}

private struct ErrorBody: Decodable {
    let message: String?

    private enum Key: String, CodingKey, CaseIterable {
        case detail, message
        case errorDescription = "error_description"
        case error, title
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        message = Key.allCases.lazy.compactMap { try? container.decode(String.self, forKey: $0) }.first { !$0.isEmpty }
    }
}

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body that could not be decoded.
public struct DecodingFailure: Error, Sendable {
    /// The whole response.
    public internal(set) var response: Response
    /// The name of the requested type.
    public let target: String
    /// What is wrong with the body, and where.
    public let reason: String
    /// The place in the body; empty for the body as a whole.
    public let codingPath: [any CodingKey]
    /// The decoder's error; nil if the decoder was not called.
    public let underlying: (any Error)?

    /// A failure of the body as a whole.
    public init(response: Response, target: String, reason: String) {
        self.init(response: response, target: target, reason: reason, codingPath: [], underlying: nil)
    }

    private init(
        response: Response, target: String, reason: String, codingPath: [any CodingKey], underlying: (any Error)?
    ) {
        self.response = response
        self.target = target
        self.reason = ASCII.printable(reason)
        self.codingPath = codingPath
        self.underlying = underlying
    }

    /// A failure with the reason and place of `error`, which a decoder threw.
    package init(response: Response, target: String, underlying error: any Error, named name: String = "") {
        let place = (error as? DecodingError)?.place ?? []
        let isEmpty = response.body.isBlank && error is DecodingError
        let reason = isEmpty ? "the body is empty" : name + Self.words(of: error)
        self.init(response: response, target: target, reason: reason, codingPath: place, underlying: error)
    }

    /// The place in readable form: `items[2].name`. Empty for the body as a whole. Keys may come from the server, so control
    /// characters in them are escaped.
    public var path: String { ASCII.printable(codingPath.path) }

    /// Whether the body is malformed, such as invalid JSON, rather than of an unexpected structure.
    public var isMalformed: Bool {
        guard case DecodingError.dataCorrupted(let context)? = underlying else { return false }
        return codingPath.isEmpty || context.underlyingError is JSONFault
    }

    /// The value at that place, or the start of the body, on one line of at most 200 characters. Nil if there is
    /// nothing to show, or if it may be a secret: a successful response may consist of one.
    public var excerpt: String? {
        guard let whole = response.excerpt, !Redaction.mentionsSecret(whole) else { return nil }
        guard !codingPath.isEmpty, let json = try? response.json() else { return whole }
        guard !codingPath.contains(where: { Redaction.looksSecret($0.stringValue[...]) }) else { return nil }
        return json.text(at: codingPath)
    }
}

extension DecodingFailure: ErrorPayload, CustomStringConvertible {
    /// The sentence of the error that it is part of.
    public var description: String { error.description }

    var error: HTTPError { .decoding(self) }

    var sentence: String {
        let excerpt = excerpt.map { codingPath.isEmpty ? ". It begins: \($0)" : ". There it says: \($0)" } ?? ""
        return "\(response.request) answered \(response.status), but its body is not the expected \(target): "
            + (excerpt.isEmpty || !reason.hasSuffix(".") ? reason : String(reason.dropLast())) + excerpt
    }

    /// The text of a decoder's error.
    static func words(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        return switch error {
        case .keyNotFound(let key, let context): "the key \"\(key.stringValue)\" is missing\(place(context))"
        case .typeMismatch(let type, let context): mismatch(type, words(context)) + place(context)
        case .valueNotFound(let type, let context): "null in place of \(type)\(place(context))"
        case .dataCorrupted(let context): "unreadable\(place(context)): \(words(context))"
        @unknown default: "\(error)"
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

    private static func place(_ context: DecodingError.Context) -> String { context.codingPath.place }

    private static func words(_ context: DecodingError.Context) -> String {
        let words = context.debugDescription
        return words.hasSuffix(".") ? String(words.dropLast()) : words
    }
}

extension DecodingError {
    /// The place in the body, including a missing key.
    fileprivate var place: [any CodingKey] {
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
    var path: String {
        reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += path.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
    }

    /// ` at items[2].name`, or nothing at the top. A long path is shortened in the middle.
    var place: String {
        guard count > 16 else { return isEmpty ? "" : " at \(path)" }
        return " at \(Array(prefix(8)).path) … \(Array(suffix(4)).path)"
    }
}

extension JSONValue {
    /// The value at `path` or, if that does not exist, at its last existing element. Nil for the top.
    fileprivate func text(at path: [any CodingKey]) -> String? {
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
        guard !Redaction.mentionsSecret(text) else { return nil }
        return ASCII.printable(text.count > 200 ? text.prefix(200) + " …" : text)
    }
}

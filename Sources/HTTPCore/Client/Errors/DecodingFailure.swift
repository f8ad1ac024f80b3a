import HTTPFoundation

/// A body that could not be decoded.
public struct DecodingFailure: Error, Sendable {
    /// The whole response.
    public internal(set) var response: Response
    /// The name of the requested type.
    public let expectedType: String
    /// What is wrong with the body, and where.
    public let reason: String
    /// The place in the body; empty for the body as a whole.
    public let codingPath: [any CodingKey]
    /// The decoder's error; nil if the decoder was not called.
    public let underlying: (any Error)?

    /// A failure of the body as a whole.
    public init(response: Response, expectedType: String, reason: String) {
        self.init(response: response, expectedType: expectedType, reason: reason, codingPath: [], underlying: nil)
    }

    private init(
        response: Response, expectedType: String, reason: String, codingPath: [any CodingKey], underlying: (any Error)?
    ) {
        self.response = response
        self.expectedType = expectedType
        // It may cite a value of the server's.
        let start = Substring(reason.unicodeScalars.prefix(500))
        self.reason = ASCII.printable(start.endIndex == reason.endIndex ? reason : start + " …")
        self.codingPath = codingPath
        self.underlying = underlying
    }

    /// A failure with the reason and place of `error`, which a decoder threw.
    package init(response: Response, expectedType: String, underlying error: any Error, named name: String = "") {
        let place = (error as? DecodingError)?.place ?? []
        let isEmpty = response.body.isBlank && error is DecodingError
        let reason =
            if isEmpty {
                "the body is empty"
            } else if case DecodingError.dataCorrupted(let context) = error,
                Self.isSecret(place) || Redaction.hasUserinfo(context.debugDescription)
            {
                name + "the value\(place.place) cannot be read"
                    + ((context.underlyingError as? JSONFault).map { ", \($0.position)" } ?? "")
            } else {
                name + DecodingProblem(error).description
            }
        self.init(response: response, expectedType: expectedType, reason: reason, codingPath: place, underlying: error)
    }

    /// The place in readable form: `items[2].name`. Empty for the body as a whole. Keys may come from the server, so control
    /// characters in them are escaped.
    public var path: String { ASCII.printable(codingPath.path) }

    /// Whether the body is malformed, such as invalid JSON, rather than of an unexpected structure.
    public var isMalformed: Bool {
        guard case DecodingError.dataCorrupted(let context)? = underlying else { return false }
        return context.underlyingError is JSONFault || (codingPath.isEmpty && !(context.underlyingError is JSONMisfit))
    }

    /// The value at that place, or the start of the body, on one line of about 200 characters. Nil if there is
    /// nothing to show, or if it may be a secret: a successful response may consist of one.
    public var excerpt: String? { shown?.text }

    private static func isSecret(_ path: [any CodingKey]) -> Bool {
        path.contains { Redaction.looksSecret($0.stringValue[...]) }
    }

    private var shown: (text: String, isWhole: Bool)? {
        guard let whole = response.excerpt, !Redaction.mentionsSecret(whole),
            !Self.isSecret(codingPath)
        else { return nil }
        // Not by `json()`, which counts as decoding in the history of the call. Of a long body the start must do.
        guard !codingPath.isEmpty, response.body.count <= 1 << 20,
            let json = try? JSONDecoder().decodeForeign(JSONValue.self, from: response.body)
        else {
            return Redaction.namesSecret(whole) ? nil : (whole, true)
        }
        return json.text(at: codingPath).flatMap { Redaction.hasUserinfo($0) ? nil : ($0, false) }
    }
}

extension DecodingFailure: DescribedPayload {
    var error: HTTPError { .decoding(self) }

    var sentence: String {
        let excerpt = shown.map { ($0.isWhole ? ". It begins: " : ". There it says: ") + $0.text } ?? ""
        return "\(response.request) answered \(response.status), but its body is not the expected \(expectedType): "
            + (excerpt.isEmpty || !reason.hasSuffix(".") ? reason : String(reason.dropLast())) + excerpt
    }
}

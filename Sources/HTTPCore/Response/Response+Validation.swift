import HTTPFoundation

extension Response {
    /// This response if its status is in `accepted`, such as `200...299` or `..<400`, else `.unacceptableStatus` with the whole
    /// response.
    ///
    ///     let user = try await client.send(request).validated().decoded(as: User.self)
    public func validated(_ accepted: some RangeExpression<HTTPStatus> = 200..<300) throws(HTTPError) -> Response {
        guard accepted.contains(status) else { throw .unacceptableStatus(self) }
        return self
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The response if its status is in `accepted`, else `.unacceptableStatus`.
    public func validated(_ accepted: some RangeExpression<HTTPStatus> = 200..<300) -> Result<Response, HTTPError> {
        Result(try get().validated(accepted))
    }
}

extension Response {
    /// The refusal as a sentence: `GET https://… answered 404 Not Found: no such user`.
    var refusal: String {
        let words = (serverMessage ?? excerpt).map { Redaction.namesSecret($0) ? Redaction.mask : $0 }
        let reason = reasonPhrase.isEmpty ? "" : " " + ASCII.printable(reasonPhrase)
        return "\(request) answered \(status)\(reason)\(words.map { ": " + $0 } ?? "")"
    }

    /// The message in a JSON error body, on one line of about 200 characters: the `detail` or `title` of a problem (RFC
    /// 9457), a member with a usual name (`message`, `error_description`, `description`, `error`), or one of these in
    /// an object `error` or in the first of a list `errors`. Nil if there is none, or if the body is longer than 1 MiB.
    public var serverMessage: String? {
        // Decoding takes many times the memory of the body.
        guard mediaType?.isJSON == true, body.count <= 1 << 20,
            let body = try? JSONDecoder().decodeForeign(ErrorBody.self, from: body)
        else { return nil }
        return body.message.flatMap(Self.line).map(ASCII.printable)
    }

    /// The start of a text body on one line; nil for an empty or binary one.
    var excerpt: String? {
        // The last character of the part may be cut off: it has four bytes at most.
        let starts = (0..<4).lazy.map { body.prefix(4096 - $0) }
        guard let text = starts.compactMap({ try? TextDecoding.decode($0, charset: mediaType?.charset) }).first,
            let line = Self.line(text)
        else { return nil }
        return line.utf8.contains(where: ASCII.isControl) ? nil : ASCII.printable(line)
    }

    /// The start of `text` on one line; nil if it is blank.
    private static func line(_ text: String) -> String? {
        // By scalars: a character may have any number of them.
        let start = Substring(text.unicodeScalars.prefix(200))
        let line = start.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        guard !line.isEmpty else { return nil }
        return start.endIndex == text.endIndex ? line : line + " …"
    }
}

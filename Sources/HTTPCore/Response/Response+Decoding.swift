public import HTTPFoundation

extension Response {
    /// The body decoded from JSON, whatever the status: see `validated()`. A missing body is nil if `type` is an optional.
    ///
    /// Foundation's decoder says what JSON is. It lets a comma before a closing bracket pass, and what is wrong with strings
    /// and numbers that `type` does not read.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder
    ) throws(HTTPError) -> Value {
        if let none = absent(as: type) { return none }
        return try decoding(type) { try decoder.explained(type, from: body) }
    }

    /// The body as text. The charset is that of a byte order mark, else of the Content-Type, else `charset`.
    ///
    /// Charsets are those of the WHATWG Encoding Standard; beyond the Unicode ones and windows-1252, the system decodes
    /// them if it can. Text with an unknown charset is tried as UTF-8. Bytes invalid in the charset, text in UTF-32, or a
    /// charset that the system does not have, are a `.decoding` error, and so are with glibc the characters that vendors
    /// added to ISO-2022-JP, such as ①. See `text(as:)` for a server that names the wrong charset, and `lossyText(as:)`
    /// for text that must be shown in any case.
    public func text(assuming charset: String = "utf-8") throws(HTTPError) -> String {
        do { return try TextDecoding.decode(body, charset: mediaType?.charset ?? ASCII.lowercased(charset)) } catch {
            throw undecodable(as: "text", error.description)
        }
    }

    /// The body as text in this charset, whatever the server and a byte order mark say.
    ///
    /// Bytes invalid in it, or a charset that is unknown or not on this system, are a `.decoding` error.
    ///
    ///     let page = try response.text(as: "windows-1251")
    public func text(as charset: String) throws(HTTPError) -> String {
        do { return try TextDecoding.decode(body, as: charset) } catch {
            throw undecodable(as: "text", error.description)
        }
    }

    /// The body as text in any case: bytes that are not text become U+FFFD (�).
    ///
    /// The charset is `charset` if given, else that of a byte order mark, else of the Content-Type, else UTF-8. UTF-8
    /// also stands for a charset that is unknown or not on this system.
    public func lossyText(as charset: String? = nil) -> String {
        TextDecoding.decodeLossily(body, charset: mediaType?.charset, override: charset)
    }

    /// The body as JSON, whatever the status. A body that is not JSON, or nested deeper than `depthLimit`, is a
    /// `.decoding` error; a comma before a closing bracket is none, for Foundation's decoder lets it pass. More than 64
    /// levels need more stack than some threads have: about 4 KiB each.
    public func json(depthLimit: Int = JSONValue.depthLimit) throws(HTTPError) -> JSONValue {
        let decoder = JSONDecoder()
        if let key = JSONValue.depthLimitKey { decoder.userInfo[key] = depthLimit }
        return try decoded(as: JSONValue.self, decoder: decoder)
    }

    /// The body decoded by the first of `decoders` that accepts its Content-Type. A single decoder reads any body; of several,
    /// it is a `.decoding` error if none accepts it, or if there is no Content-Type. A missing body is nil if `type` is an
    /// optional. The status does not matter: see `validated()`.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, by decoders: [any BodyDecoder]
    ) throws(HTTPError) -> Value {
        if let none = absent(as: type) { return none }
        if decoders.count == 1, let only = decoders.first {
            return try decoding(type) { try only.decode(type, from: self) }
        }
        guard let mediaType else {
            throw undecodable(as: "\(type)", "it has no Content-Type that says what it is")
        }
        guard let decoder = decoders.first(where: { $0.accepts(mediaType) }) else {
            throw undecodable(as: "\(type)", "it is \(mediaType.essence), for which no decoder was given")
        }
        return try decoding(type) { try decoder.decode(type, from: self) }
    }

    /// The value of a missing body; nil if there is a body, or if the type has no such value.
    func absent<Value>(as type: Value.Type) -> Value? {
        body.isBlank ? (type as? any Absent.Type)?.absent(as: type) : nil
    }

    func undecodable(as target: String, _ reason: String) -> HTTPError {
        .decoding(DecodingFailure(response: self, expectedType: target, reason: reason))
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The body decoded by the first of `decoders` that accepts its Content-Type, whatever the status.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, by decoders: [any BodyDecoder]
    ) -> Result<Value, HTTPError> {
        Result<Value, HTTPError>(try get().decoded(as: type, by: decoders))
    }

    /// The body decoded as JSON, whatever the status.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder
    ) -> Result<Value, HTTPError> {
        Result<Value, HTTPError>(try get().decoded(as: type, decoder: decoder))
    }

    /// The body as text, whatever the status.
    public func text(assuming charset: String = "utf-8") -> Result<String, HTTPError> {
        Result<String, HTTPError>(try get().text(assuming: charset))
    }

    /// The body as text in this charset, whatever the server says and whatever the status.
    public func text(as charset: String) -> Result<String, HTTPError> {
        Result<String, HTTPError>(try get().text(as: charset))
    }

    /// The body as JSON, whatever the status.
    public func json(depthLimit: Int = JSONValue.depthLimit) -> Result<JSONValue, HTTPError> {
        Result<JSONValue, HTTPError>(try get().json(depthLimit: depthLimit))
    }
}

extension Response {
    /// The problem that the body describes; nil if the Content-Type is not `application/problem+json`, or if the body
    /// is not an object, or longer than 1 MiB.
    public var problem: Problem? {
        guard mediaType?.essence == "application/problem+json", body.count <= 1 << 20 else { return nil }
        return (try? json()).flatMap(Problem.init)
    }
}

extension HTTPError {
    /// The problem described by the body of the error's response (RFC 9457); nil without one.
    public var problem: Problem? { response?.problem }
}

/// A type with a value for a missing body.
private protocol Absent {
    static func absent<Value>(as type: Value.Type) -> Value?
}

extension Optional: Absent {
    fileprivate static func absent<Value>(as type: Value.Type) -> Value? { Self.none as? Value }
}

extension Response {
    /// The body decoded by the first of `decoders` that accepts its Content-Type, whatever the status: see
    /// `validated()`. It is a `.decoding` error if no decoder accepts it, or if there is no Content-Type.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, by decoders: [any BodyDecoder]
    ) throws(HTTPError) -> Value {
        guard let mediaType else {
            throw undecodable(as: type, "it has no Content-Type that says what it is")
        }
        guard let decoder = decoders.first(where: { $0.accepts(mediaType) }) else {
            throw undecodable(as: type, "it is \(mediaType.essence), for which no decoder was given")
        }
        do { return try timingDecoding { try decoder.decode(type, from: self) } } catch {
            throw .decoding(DecodingFailure(response: self, target: "\(type)", underlying: error))
        }
    }

    private func undecodable(as type: Any.Type, _ reason: String) -> HTTPError {
        .decoding(DecodingFailure(response: self, target: "\(type)", reason: reason))
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The body decoded by the first of `decoders` that accepts its Content-Type, whatever the status.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, by decoders: [any BodyDecoder]
    ) -> Result<Value, HTTPError> {
        flatMap { response in
            Result<Value, HTTPError> { () throws(HTTPError) in try response.decoded(as: type, by: decoders) }
        }
    }
}

public import HTTPFoundation

/// What is done with a response: the same words as for a response and a `Result` of one.
///
///     client.future(for: .get(url)).validated().decoded(as: User.self)
extension Future where Value == Response, Failure == HTTPError {
    /// The response if its status is in `accepted`, else `.unacceptableStatus`.
    public func validated(_ accepted: some RangeExpression<HTTPStatus> & Sendable = 200..<300) -> Future {
        flatMapResult { $0.validated(accepted) }
    }

    /// The body decoded as JSON, whatever the status: see `validated()`. It is decoded where callbacks run, on the
    /// thread that has the response, or on `queue`.
    public func decoded<Decoded: Decodable & Sendable>(
        as type: Decoded.Type = Decoded.self, decoder: JSONDecoder = JSONCoding.standard.decoder,
        on queue: CallbackQueue? = nil
    ) -> Future<Decoded, HTTPError> {
        flatMapResult(on: queue) { $0.decoded(as: type, decoder: decoder) }
    }

    /// The body decoded by the first of `decoders` that accepts its Content-Type, whatever the status.
    public func decoded<Decoded: Decodable & Sendable>(
        as type: Decoded.Type = Decoded.self, by decoders: [any BodyDecoder], on queue: CallbackQueue? = nil
    ) -> Future<Decoded, HTTPError> {
        flatMapResult(on: queue) { $0.decoded(as: type, by: decoders) }
    }

    /// The body as text, whatever the status.
    public func text(assuming charset: String = "utf-8", on queue: CallbackQueue? = nil) -> Future<String, HTTPError> {
        flatMapResult(on: queue) { $0.text(assuming: charset) }
    }

    /// The body as text in this charset, whatever the server says and whatever the status.
    public func text(as charset: String, on queue: CallbackQueue? = nil) -> Future<String, HTTPError> {
        flatMapResult(on: queue) { $0.text(as: charset) }
    }

    /// The body as JSON, whatever the status.
    public func json(
        depthLimit: Int = JSONValue.depthLimit, on queue: CallbackQueue? = nil
    ) -> Future<JSONValue, HTTPError> {
        flatMapResult(on: queue) { $0.json(depthLimit: depthLimit) }
    }

    /// The result that `transform` makes of the response, which it gets as a `Result`: `flatMapResult { $0.validated() }`.
    /// A failure passes unchanged.
    @_disfavoredOverload
    public func flatMapResult<NewValue: Sendable>(
        on queue: CallbackQueue? = nil,
        _ transform: @escaping @Sendable (Result<Response, HTTPError>) -> Result<NewValue, HTTPError>
    ) -> Future<NewValue, HTTPError> {
        derive(on: queue) { result in .settled(result.flatMap { _ in transform(result) }) }
    }
}

public import HTTPFoundation
@_exported public import HTTPMessage

/// A client that answers requests: a transport, a decorated client, a stub.
///
/// `executeRequest` and `executeRequests` return a `Result`, because clients and interceptors hand it on. The other
/// functions that send throw `HTTPError`, and the awaited form of those that give one value differs by `await` alone.
///
/// Its one requirement blocks the calling thread until the exchange is over, so sequential requests are plain lines of
/// code. It may be called from several threads at once. Async functions cannot call it, because it would block a thread
/// of the concurrency runtime; HTTPAsync has the awaiting forms.
public protocol HTTPClient: Sendable {
    /// Sends `request` and waits for the whole response. Any status is a success: the exchange worked. A failure says
    /// why it did not.
    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    func executeRequest(_ request: Request) -> Result<Response, HTTPError>
}

extension HTTPClient {
    /// Builds and sends a request. If it cannot be built, the failure is `.invalidRequest`, and nothing is sent.
    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: some RequestConvertible) -> Result<Response, HTTPError> {
        do { return executeRequest(try request.asRequest()) } catch { return .failure(error) }
    }

    /// Sends a request and waits for the whole response, whatever its status. If it cannot be built, this throws
    /// `.invalidRequest`, and nothing is sent.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    @discardableResult
    public func send(_ request: some RequestConvertible) throws(HTTPError) -> Response {
        try executeRequest(request.asRequest()).get()
    }

    /// Sends a request, accepts only a 2xx status, and decodes the body as JSON. A missing body, as of a 204, is nil if
    /// `type` is an optional.
    ///
    ///     let user = try client.execute(.get("https://api.example.com/users/7"), as: User.self)
    ///
    /// - Throws: As `send`; `.unacceptableStatus` for any other status; `.decoding` for a body that is not such a value.
    @available(*, noasync, message: "import HTTPAsync and await it, at the top level of main.swift with on: .shared")
    public func execute<Value: Decodable>(
        _ request: some RequestConvertible, as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONCoding.standard.decoder
    ) throws(HTTPError) -> Value {
        try send(request).validated().decoded(as: type, decoder: decoder)
    }
}

/// A response with its head; the body arrives piece by piece.
///
/// It is one exchange: a second iteration continues where the first stopped, and tasks that iterate at the same time
/// share the elements. The call ends when the response and its iterators are released, and when the only task that
/// reads is cancelled; cancelling one of several ends its own loop.
public struct StreamedResponse<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = HTTPError

    /// The head.
    public let start: ResponseStart
    let reading: Reading<Element>

    /// The status of the response.
    public var status: HTTPStatus { start.status }
    /// The header fields of the response.
    public var headers: HTTPHeaders { start.headers }

    public func makeAsyncIterator() -> ResponseElements<Element>.AsyncIterator {
        ResponseElements<Element>.AsyncIterator(reading)
    }

    /// The response as it is known at its end: with trailers and metrics, without the body. Elements that nobody has
    /// taken by then are received and dropped. Of events it is the response of the last connection.
    ///
    ///     for try await bytes in response { … }
    ///     print(try await response.finish().trailers)
    ///
    /// - Throws: The error that ended the iteration.
    public func finish(isolation: isolated (any Actor)? = #isolation) async throws(HTTPError) -> Response {
        let reader = Reading<Element>.Reader(reading)
        while case .element = await reader.next(isolation: isolation) {}
        guard let outcome = reading.outcome.withLock({ $0 }) else { throw .cancelled(nil) }
        return try outcome.get()
    }
}

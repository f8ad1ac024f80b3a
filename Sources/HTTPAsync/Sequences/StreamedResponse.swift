public import HTTPCore

/// A response whose head is there, and whose body is still to come, piece by piece.
///
/// It is one exchange: a second iteration goes on where the first one stopped. When nobody holds it or an iterator of it any
/// more, the call ends.
public struct StreamedResponse<Element: Sendable>: AsyncSequence, Sendable {
    public typealias Failure = HTTPError

    /// How it begins.
    public let start: ResponseStart
    let reading: Reading<Element>

    /// The status of the response.
    public var status: HTTPStatus { start.status }
    /// The header fields of the response.
    public var headers: HTTPHeaders { start.headers }

    public func makeAsyncIterator() -> ResponseElements<Element>.AsyncIterator {
        ResponseElements<Element>.AsyncIterator(reading)
    }
}

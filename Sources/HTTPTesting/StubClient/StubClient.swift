public import HTTPCore

/// An `HTTPClient` from a closure: for tests of code that makes calls, without a server.
///
///     let client = StubClient { request in .success(Response(request: request, status: .noContent)) }
public struct StubClient: HTTPClient {
    public typealias Answer = @Sendable (Request) -> Result<Response, HTTPError>

    private let answer: Answer

    /// The closure runs on the thread that makes the call, on several at once if several call.
    public init(_ answer: @escaping Answer) { self.answer = answer }

    /// Fails every call with `error`.
    public static func failing(_ error: HTTPError) -> StubClient { StubClient { _ in .failure(error) } }

    @available(*, noasync)
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> { answer(request) }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A client that answers requests: a transport, a decorated client, a stub.
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
    public func executeRequest(_ draft: MutableRequest) -> Result<Response, HTTPError> {
        do { return executeRequest(try Request(draft)) } catch { return .failure(error) }
    }

    /// Sends a request, accepts only a 2xx status, and decodes the body as JSON.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func execute<Value: Decodable>(
        _ draft: MutableRequest, as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> Result<Value, HTTPError> {
        executeRequest(draft).validated().decoded(as: type, decoder: decoder)
    }

    /// The throwing form of `executeRequest`, for a draft.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func send(_ draft: MutableRequest) throws(HTTPError) -> Response { try executeRequest(draft).get() }

    /// The throwing form of `executeRequest`.
    @available(*, noasync, message: "import HTTPAsync and await it")
    public func send(_ request: Request) throws(HTTPError) -> Response { try executeRequest(request).get() }
}

@_exported public import HTTPAsync
@_exported public import HTTPCore
public import HTTPFoundation

/// Calls that return a future at once.
///
///     client.future(for: request).map { response throws(HTTPError) in try response.validated() }
///
/// They work with any client. The call and the callbacks of the future run on a
/// thread of the dispatcher, unless a callback names a queue. Cancelling the future cancels the call; dropping it does
/// not.
extension HTTPClient {
    /// Sends a request. Any status is a success. If the request cannot be built, the future fails with
    /// `.invalidRequest`, and nothing is sent.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - priority: Its place in the dispatcher's queue.
    ///   - dispatcher: Makes the call.
    /// - Returns: A future that fails with the client's failure, or with `.cancelled`; with an `Overload` if the
    ///   dispatcher's queue is full; with `.timedOut` if the request's total timeout expired in the queue.
    public func future(
        for request: some RequestConvertible, priority: Dispatcher.Priority = .normal,
        on dispatcher: Dispatcher = .shared
    ) -> Future<Response, HTTPError> {
        .ofCall { executeRequest(request, priority: priority, callbackQueue: .immediate, on: dispatcher, $0) }
    }

    /// Sends a request, accepts only a 2xx status, and decodes the body as JSON on a thread of the dispatcher.
    ///
    ///     client.future(for: .get(url), as: User.self).map(\.name)
    public func future<Value: Decodable & Sendable>(
        for request: some RequestConvertible, as type: Value.Type,
        decoder: JSONDecoder = JSONCoding.standard.decoder, priority: Dispatcher.Priority = .normal,
        on dispatcher: Dispatcher = .shared
    ) -> Future<Value, HTTPError> {
        .ofCall {
            execute(
                request, as: type, decoder: decoder, priority: priority, callbackQueue: .immediate, on: dispatcher, $0)
        }
    }
}

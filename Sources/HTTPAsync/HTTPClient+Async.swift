@_exported public import HTTPTransfers
@_exported public import HTTPPolicies
@_exported public import HTTPCore
public import HTTPFoundation

/// Awaited calls: they block no thread of the concurrency runtime.
///
/// They work with any client. The dispatcher makes them: those over a `CurlTransport` that wait for nothing but the
/// network on one thread for all, others on a thread each. Cancelling the task cancels the call, which then throws `.cancelled`; so does cancelling a
/// `CancellationToken` bound around it.
extension HTTPClient {
    /// Sends a request and awaits the whole response. Any status is a response; `validated()` accepts only 2xx.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - priority: Its place among waiting calls; by default it follows the task's priority.
    ///   - dispatcher: Makes the call.
    ///   - isolation: The actor that the caller runs on; leave it to its default.
    /// - Throws: The client's failure; `.invalidRequest` if the request cannot be built, and nothing is sent;
    ///   `.cancelled`, also when the task was cancelled before; an `Overload` when the dispatcher's queue is full;
    ///   `.timedOut` when the request's total timeout, which counts from here, passed in the queue.
    @discardableResult
    public func send(
        _ request: some RequestConvertible, priority: Dispatcher.Priority? = nil,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        let call = dispatcher.call(self, try request.asRequest())
        await dispatcher.run(call, priority: priority, isolation: isolation)
        return try call.settlement.value()
    }

    /// Sends a request, accepts only a 2xx status, and decodes the body as JSON, on the executor of the caller.
    public func execute<Value: Decodable>(
        _ request: some RequestConvertible, as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONCoding.standard.decoder, priority: Dispatcher.Priority? = nil,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Value {
        try await send(request, priority: priority, on: dispatcher, isolation: isolation)
            .validated().decoded(as: type, decoder: decoder)
    }
}

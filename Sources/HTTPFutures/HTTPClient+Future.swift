#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPAsync
@_exported public import HTTPCore

/// Calls that return a future at once.
///
///     client.future(for: request).map { response throws(HTTPError) in try response.validated() }
///
/// They work with any client and any of its blocking functions. The call and the callbacks of the future run on a
/// thread of the dispatcher, unless a callback names a queue. Cancelling the future cancels the call; dropping it does
/// not.
extension HTTPClient {
    /// Sends `request`. Any status is a success.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - priority: Its place in the dispatcher's queue.
    ///   - dispatcher: Makes the call.
    /// - Returns: A future that fails with the client's failure, or with `.cancelled`; with `.overloaded` if the
    ///   dispatcher's queue is full; with `.timedOut` if the request's total timeout expired in the queue.
    public func future(
        for request: Request, priority: Dispatcher.Priority = .normal, on dispatcher: Dispatcher = .shared
    ) -> Future<Response, HTTPError> {
        Future { promise in
            let call = executeRequest(request, priority: priority, callbackQueue: .immediate, on: dispatcher) {
                promise.resolve($0)
            }
            promise.onCancel { call.cancel() }
        }
    }

    /// Builds and sends a request. If it cannot be built, the failure is `.invalidRequest`, and nothing is sent.
    public func future(
        for draft: MutableRequest, priority: Dispatcher.Priority = .normal, on dispatcher: Dispatcher = .shared
    ) -> Future<Response, HTTPError> {
        do throws(HTTPError) {
            return future(for: try Request(draft), priority: priority, on: dispatcher)
        } catch {
            return .failure(error)
        }
    }

    /// Sends a request, accepts only a 2xx status, and decodes the body as JSON on a thread of the dispatcher.
    ///
    ///     client.future(for: .get(url), as: User.self).map(\.name)
    public func future<Value: Decodable & Sendable>(
        for draft: MutableRequest, as type: Value.Type, decoder: JSONDecoder = JSONDecoder(),
        priority: Dispatcher.Priority = .normal, on dispatcher: Dispatcher = .shared
    ) -> Future<Value, HTTPError> {
        Future { promise in
            let call = execute(
                draft, as: type, decoder: decoder, priority: priority, callbackQueue: .immediate, on: dispatcher
            ) { promise.resolve($0) }
            promise.onCancel { call.cancel() }
        }
    }

    /// Runs blocking work with this client on a thread of the dispatcher.
    ///
    ///     client.future { $0.executeRequest(draft).decoded(as: User.self) }
    ///
    /// The parameters are those of the awaited `perform`.
    public func future<Value: Sendable>(
        host: String? = nil, priority: Dispatcher.Priority = .normal, timeout: Duration? = nil,
        on dispatcher: Dispatcher = .shared,
        _ work: @escaping @Sendable (any HTTPClient) -> Result<Value, HTTPError>
    ) -> Future<Value, HTTPError> {
        Future { promise in
            let call = perform(
                host: host, priority: priority, timeout: timeout, work, callbackQueue: .immediate, on: dispatcher
            ) { promise.resolve($0) }
            promise.onCancel { call.cancel() }
        }
    }
}

public import HTTPAsync
public import HTTPCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ServiceEndpoint {
    /// Sends this endpoint's request with `client`. Any status is a success.
    public func future(
        with client: any HTTPClient, priority: Dispatcher.Priority = .normal, on dispatcher: Dispatcher = .shared
    ) -> Future<Response, HTTPError> {
        client.future(for: request, priority: priority, on: dispatcher)
    }

    /// Sends this endpoint's request with `client`, accepts only a 2xx status, and decodes the body as JSON, on the
    /// dispatcher's thread.
    public func future<Value: Decodable & Sendable>(
        with client: any HTTPClient, as type: Value.Type, decoder: JSONDecoder = JSONDecoder(),
        priority: Dispatcher.Priority = .normal, on dispatcher: Dispatcher = .shared
    ) -> Future<Value, HTTPError> {
        client.future(for: request, priority: priority, on: dispatcher)
            .flatMapResult { Result.success($0).validated().decoded(as: type, decoder: decoder) }
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPCore

/// Awaited calls with the blocking forms' names. They throw as `response(for:)` does.
extension HTTPClient {
    /// Sends `request` and awaits the whole response, whatever its status.
    @discardableResult
    public func send(
        _ request: Request, priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await response(for: request, priority: priority, on: dispatcher, isolation: isolation)
    }

    /// Builds and sends a request, and awaits the whole response, whatever its status.
    @discardableResult
    public func send(
        _ draft: MutableRequest, priority: Dispatcher.Priority? = nil, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Response {
        try await response(for: draft, priority: priority, on: dispatcher, isolation: isolation)
    }

    /// Sends a request, accepts only a 2xx status, and decodes the body as JSON, on the executor of the caller.
    public func execute<Value: Decodable>(
        _ draft: MutableRequest, as type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder,
        on dispatcher: Dispatcher = .current, isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Value {
        let response = try await response(for: draft, on: dispatcher, isolation: isolation)
        return try Result.success(response).validated().decoded(as: type, decoder: decoder).get()
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPCore

extension HTTPClient {
    /// Sends a request, accepts only a 2xx status, and decodes the body as JSON, on the executor of the caller.
    public func execute<Value: Decodable>(
        _ request: some RequestConvertible, as type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONCoding.standard.decoder, on dispatcher: Dispatcher = .current,
        isolation: isolated (any Actor)? = #isolation
    ) async throws(HTTPError) -> Value {
        try await send(request, on: dispatcher, isolation: isolation).validated().decoded(as: type, decoder: decoder)
    }
}

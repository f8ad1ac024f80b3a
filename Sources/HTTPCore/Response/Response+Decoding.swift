#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Response {
    /// The body decoded from JSON by the caller's decoder. The status is not looked at: see `validated()`.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(HTTPError) -> Value {
        do {
            return try timingDecoding { try decoder.decode(type, from: body) }
        } catch {
            throw .decoding(DecodingFailure(response: self, target: "\(type)", underlying: error))
        }
    }

    /// The body as text: by its byte order mark, else by the charset of the Content-Type, else by `charset`. Bytes that
    /// do not fit the charset, or a charset unknown here, are a `.decoding` error.
    public func text(assuming charset: String = "utf-8") throws(HTTPError) -> String {
        do { return try TextDecoding.decode(body, charset: mediaType?.charset ?? ASCII.lowercased(charset)) } catch {
            throw .decoding(DecodingFailure(response: self, target: "text", reason: error.description))
        }
    }
}

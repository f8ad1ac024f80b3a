#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Response {
    /// The body decoded from JSON, whatever the status: see `validated()`.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(HTTPError) -> Value {
        do {
            return try timingDecoding { try decoder.explained(type, from: body) }
        } catch {
            throw .decoding(DecodingFailure(response: self, target: "\(type)", underlying: error))
        }
    }

    /// The body as text. The charset is that of a byte order mark, else of the Content-Type, else `charset`. Bytes
    /// invalid in the charset, or an unknown charset, are a `.decoding` error.
    public func text(assuming charset: String = "utf-8") throws(HTTPError) -> String {
        do { return try TextDecoding.decode(body, charset: mediaType?.charset ?? ASCII.lowercased(charset)) } catch {
            throw .decoding(DecodingFailure(response: self, target: "text", reason: error.description))
        }
    }
}

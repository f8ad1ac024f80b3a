#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Response {
    /// This response if its status is in `accepted`, else `.unacceptableStatus` with the whole response.
    ///
    ///     let user = try await client.send(request).validated().decoded(as: User.self)
    public func validated(_ accepted: Range<Int> = 200..<300) throws(HTTPError) -> Response {
        guard accepted.contains(status.rawValue) else { throw .unacceptableStatus(self) }
        return self
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The response if its status is in `accepted`, else `.unacceptableStatus`.
    public func validated(_ accepted: Range<Int> = 200..<300) -> Result<Response, HTTPError> {
        flatMap { response in Result { () throws(HTTPError) in try response.validated(accepted) } }
    }

    /// The body decoded as JSON, whatever the status.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder
    ) -> Result<Value, HTTPError> {
        flatMap { response in
            Result<Value, HTTPError> { () throws(HTTPError) in try response.decoded(as: type, decoder: decoder) }
        }
    }

    /// The body as text, whatever the status.
    public func text(assuming charset: String = "utf-8") -> Result<String, HTTPError> {
        flatMap { response in Result<String, HTTPError> { () throws(HTTPError) in try response.text(assuming: charset) }
        }
    }

    /// The body as text in this charset, whatever the server says and whatever the status.
    public func text(as charset: String) -> Result<String, HTTPError> {
        flatMap { response in Result<String, HTTPError> { () throws(HTTPError) in try response.text(as: charset) } }
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Response {
    /// This response if its status is one of `accepted`, else `.unacceptableStatus`, which keeps it whole.
    public func validated(_ accepted: Range<Int> = 200..<300) -> Result<Response, HTTPError> {
        accepted.contains(status.rawValue) ? .success(self) : .failure(.unacceptableStatus(self))
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The response if its status is one of `accepted`, else `.unacceptableStatus`.
    public func validated(_ accepted: Range<Int> = 200..<300) -> Result<Response, HTTPError> {
        flatMap { $0.validated(accepted) }
    }

    /// The body decoded as JSON; the status is not looked at.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> Result<Value, HTTPError> {
        flatMap { response in
            Result<Value, HTTPError> { () throws(HTTPError) in try response.decoded(as: type, decoder: decoder) }
        }
    }
}

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Response {
    /// The body as JSON, whatever the status. A body that is not JSON, or nested deeper than `depthLimit`, is a
    /// `.decoding` error. More than 64 levels need more stack than some threads have: about 4 KiB each.
    public func json(depthLimit: Int = JSONValue.depthLimit) throws(HTTPError) -> JSONValue {
        let decoder = JSONDecoder()
        if let key = JSONValue.depthLimitKey { decoder.userInfo[key] = depthLimit }
        return try decoded(as: JSONValue.self, decoder: decoder)
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The body as JSON, whatever the status.
    public func json(depthLimit: Int = JSONValue.depthLimit) -> Result<JSONValue, HTTPError> {
        flatMap { response in
            Result<JSONValue, HTTPError> { () throws(HTTPError) in try response.json(depthLimit: depthLimit) }
        }
    }
}

extension Response {
    /// The problem that the body describes; nil if the Content-Type is not `application/problem+json`, or if the body
    /// is not an object.
    public var problem: Problem? {
        guard mediaType?.essence == "application/problem+json" else { return nil }
        return (try? json()).flatMap(Problem.init)
    }
}

extension HTTPError {
    /// The problem described by the response of an unacceptable status (RFC 9457); nil for any other error.
    public var problem: Problem? { response?.problem }
}

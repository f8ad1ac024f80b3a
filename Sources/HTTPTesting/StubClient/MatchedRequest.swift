import HTTPFoundation

/// A request as conditions see it, whether a `StubClient` or a `MockServer` received it.
package protocol MatchedRequest {
    var method: HTTPMethod { get }
    /// Nil if its host is none.
    var origin: Origin? { get }
    /// Not decoded.
    var matchedPath: Substring { get }
    var queryItems: [QueryItem] { get }
    var headers: HTTPHeaders { get }
    var bodyData: Data { get }
}

extension MatchedRequest {
    /// The values of `name` in the query.
    package func values(of name: String) -> [String] {
        queryItems.filter { $0.name.hasOctets(of: name) }.map { $0.value ?? "" }
    }

    /// The body as UTF-8, with U+FFFD for invalid bytes.
    var bodyText: String { String(decoding: bodyData, as: UTF8.self) }
}

extension StubbedRequest: MatchedRequest {
    package var origin: Origin? { url.origin }
    package var matchedPath: Substring { url.path }
    package var bodyData: Data { body }
}

public import HTTPCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request as it came to a `StubClient`, with its body read.
public struct StubbedRequest: Sendable {
    /// The request, whole, with what secrets it carries.
    public let request: Request
    /// The body, from whatever source it came. Of a stub made from a closure over `Request`, which reads none, it is
    /// there only if it was in memory.
    public let body: Data
    /// What the path has where the pattern of the route has a name in braces, percent-decoded.
    public let path: [String: String]

    init(_ request: Request, body: Data, path: [String: String] = [:]) {
        self.request = request
        self.body = body
        self.path = path
    }

    /// For a request whose body nobody has read.
    init(unread request: Request) {
        let data: Data = if case .data(let data) = request.body.content { data } else { Data() }
        self.init(request, body: data)
    }

    func with(path: [String: String]) -> StubbedRequest { StubbedRequest(request, body: body, path: path) }
}

extension StubbedRequest {
    /// The method of the request.
    public var method: HTTPMethod { request.method }
    /// The URL of the request.
    public var url: HTTPURL { request.url }
    /// Those of the request and of its cookies. What frames the message is not among them.
    public var headers: HTTPHeaders { request.headers }

    /// What the path has for `{name}`; empty if the pattern has no such name.
    public subscript(name: String) -> String { path[name, default: ""] }

    /// The pairs of the query in order, decoded.
    public var queryItems: [QueryItem] { FormText.items(request.url.query.map(String.init) ?? "") }

    /// The first value of `name` in the query; nil if there is none.
    public func query(_ name: String) -> String? { queryItems.first { $0.name == name }.map { $0.value ?? "" } }

    /// The body as UTF-8, with U+FFFD in place of what is none.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The pairs of a form (`application/x-www-form-urlencoded`) in order, decoded.
    public var formItems: [QueryItem] { FormText.items(text) }

    /// The body decoded from JSON.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) throws(DecodingError) -> Value {
        do { return try decoder.decode(type, from: body) } catch let error as DecodingError { throw error } catch {
            throw .dataCorrupted(.init(codingPath: [], debugDescription: "\(error)", underlyingError: error))
        }
    }
}

extension StubbedRequest: CustomStringConvertible {
    /// Method and URL with secrets masked, and the size of the body.
    public var description: String { "\(request)" + (body.isEmpty ? "" : " (\(body.count) bytes)") }
}

public import HTTPFoundation

/// A request received by a `StubClient`, with its body read.
public struct StubbedRequest: Sendable {
    /// The request, including its secrets.
    public let request: Request
    /// The body, from any source. A stub from a closure over `Request` reads no source; there it is set only if it was
    /// in memory.
    public let body: Data
    /// The values of the route's named parts, percent-decoded.
    public let pathParameters: [String: String]

    init(_ request: Request, body: Data, pathParameters: [String: String] = [:]) {
        self.request = request
        self.body = body
        self.pathParameters = pathParameters
    }

    /// For a request whose body was not read.
    init(unread request: Request) {
        let data: Data = if case .data(let data) = request.body.content { data } else { Data() }
        self.init(request, body: data)
    }

    func with(_ parameters: [String: String]) -> StubbedRequest {
        StubbedRequest(request, body: body, pathParameters: parameters)
    }
}

extension StubbedRequest {
    /// The method of the request.
    public var method: HTTPMethod { request.method }
    /// The URL of the request.
    public var url: HTTPURL { request.url }
    /// The fields of the request and of its cookies, without those that frame the message.
    public var headers: HTTPHeaders { request.headers }

    /// The value of `{name}`; empty if the pattern has no such name.
    public subscript(name: String) -> String { pathParameters[name, default: ""] }

    /// The pairs of the query in order, decoded.
    public var queryItems: [QueryItem] { url.queryItems }

    /// The first value of `name` in the query; nil if there is none.
    public func query(_ name: String) -> String? { values(of: name).first }

    /// The body as UTF-8, with U+FFFD for invalid bytes.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The pairs of a form (`application/x-www-form-urlencoded`) in order, decoded.
    public var formItems: [QueryItem] { FormText.items(text) }

    /// The body decoded from JSON.
    public func decoded<Value: Decodable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONCoding.standard.decoder
    ) throws(DecodingError) -> Value {
        try decoder.value(type, from: body)
    }
}

extension StubbedRequest: CustomStringConvertible {
    /// Method and URL with secrets masked, and the size of the body.
    public var description: String { "\(request)" + (body.isEmpty ? "" : " (\(body.count) bytes)") }
}

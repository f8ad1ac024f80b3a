public import HTTPCore
public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension MutableRequest {
    /// A draft of `request`: its method, URL and fields. What is wrong with them is an error when the request is built.
    ///
    ///     let response = try await client.send(MutableRequest(request, body: .data(json, contentType: nil)))
    ///
    /// - Parameters:
    ///   - request: The head. Its pseudo-header fields make the URL; a scheme that is missing is `https`. Without an authority
    ///     its path is resolved against the base URL.
    ///   - baseURL: What a path without an authority is relative to.
    ///   - body: The body.
    public init(_ request: HTTPRequest, baseURL: String? = nil, body: RequestBody = .empty) {
        let path = request.path ?? "/"
        let url = request.authority.map { "\(request.scheme ?? "https")://\($0)\(path)" } ?? path
        self.init(HTTPMethod(request.method), url, baseURL: baseURL)
        headers = HTTPHeaders(request.headerFields)
        if !body.isEmpty { self = self |> .body(body) }
    }
}

extension HTTPRequest {
    /// The head of `request`. Its body is `request.body`. Nil never happens but for a name that swift-http-types refuses.
    public init?(_ request: Request) {
        guard let method = Method(request.method), let fields = HTTPFields(request.headers) else { return nil }
        let url = request.url
        self.init(
            method: method, scheme: url.scheme.rawValue, authority: url.origin.authority, path: url.target,
            headerFields: fields)
    }
}

extension HTTPResponse {
    /// The head of `response`; its body is `response.body`. Nil if the status has not three digits, or a name is no token,
    /// which no server can bring about.
    public init?(_ response: Response) {
        self.init(status: response.status, reason: response.reasonPhrase, headers: response.headers)
    }

    /// The head of a response whose body follows; nil as for a `Response`.
    public init?(_ start: ResponseStart) { self.init(status: start.status, reason: "", headers: start.headers) }

    private init?(status: HTTPStatus, reason: String, headers: HTTPHeaders) {
        guard 0...999 ~= status.rawValue, let fields = HTTPFields(headers) else { return nil }
        self.init(status: Status(code: status.rawValue, reasonPhrase: reason), headerFields: fields)
    }
}

extension Response {
    /// The response `head` to `request`.
    ///
    /// - Parameters:
    ///   - head: Status and fields.
    ///   - body: The whole body, decoded.
    ///   - request: What it answers.
    public init(_ head: HTTPResponse, body: Data = Data(), to request: Request) {
        self.init(
            request: request, status: HTTPStatus(head.status), reasonPhrase: head.status.reasonPhrase,
            headers: HTTPHeaders(head.headerFields), body: body)
    }
}

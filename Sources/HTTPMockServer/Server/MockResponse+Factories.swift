public import HTTPFoundation

extension MockResponse {
    /// UTF-8 text as `text/plain`.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> MockResponse {
        data(text.utf8, contentType: "text/plain; charset=utf-8", status: status)
    }

    /// JSON text as `application/json`; it is sent as given.
    public static func json(text: String, status: HTTPStatus = .ok) -> MockResponse {
        data(text.utf8, contentType: "application/json", status: status)
    }

    /// `value` encoded as `application/json`. If it cannot be encoded, a 500 that says why.
    public static func json(
        _ value: some Encodable, status: HTTPStatus = .ok, encoder: JSONEncoder = JSONCoding.standard.encoder
    ) -> MockResponse {
        do { return data(try encoder.encode(value), contentType: "application/json", status: status) } catch {
            return text("the \(type(of: value)) cannot be encoded: \(error)", status: .internalServerError)
        }
    }

    /// The same for a literal of several types: `.json(["id": id, "title": title, "tags": tags])`.
    public static func json(
        _ literal: EncodableLiteral, status: HTTPStatus = .ok, encoder: JSONEncoder = JSONCoding.standard.encoder
    ) -> MockResponse {
        json(literal.asEncodable, status: status, encoder: encoder)
    }

    /// `problem` as `application/problem+json` (RFC 9457), with its status, or 500 if it has none.
    public static func problem(_ problem: Problem) -> MockResponse {
        json(problem, status: problem.status ?? .internalServerError, encoder: JSONEncoder())
            .header("Content-Type", "application/problem+json")
    }

    /// Bytes, with a `Content-Type` unless `contentType` is nil.
    public static func data(
        _ bytes: some Sequence<UInt8>, contentType: String? = "application/octet-stream", status: HTTPStatus = .ok
    ) -> MockResponse {
        var response = MockResponse(status: status, body: Array(bytes))
        if let contentType { response.headers.append(contentType, for: "Content-Type") }
        return response
    }

    /// A status without a body.
    public static func status(_ status: HTTPStatus, headers: HTTPHeaders = [:]) -> MockResponse {
        MockResponse(status: status, headers: headers)
    }

    /// A redirect without a body to `location`, which is sent as given.
    public static func redirect(to location: String, status: HTTPStatus = .found) -> MockResponse {
        MockResponse(status: status, headers: ["Location": location])
    }

    /// Exactly these bytes. The connection is closed after them, unless `keepsConnection` is set.
    public static func raw(_ bytes: [UInt8], keepsConnection: Bool = false) -> MockResponse {
        var response = MockResponse(body: bytes, framing: .raw)
        response.keepsConnection = keepsConnection
        return response
    }

    /// Exactly this text as UTF-8; line ends are sent as they are.
    public static func raw(_ text: String, keepsConnection: Bool = false) -> MockResponse {
        raw(Array(text.utf8), keepsConnection: keepsConnection)
    }

    /// A 200 with 1,000 bytes of text, interrupted by `fault`.
    public static func fault(_ fault: MockFault) -> MockResponse {
        text(String(repeating: "0123456789", count: 100)).failing(fault)
    }
}

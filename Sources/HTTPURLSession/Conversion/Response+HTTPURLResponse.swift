public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension Response {
    /// URLSession's response to `request`, with the body in memory.
    ///
    /// HTTPURLResponse has no HTTP version and reason, so these are `.http1_1` and empty. Its header fields are in a
    /// dictionary: fields of one name are joined by commas, except Set-Cookie, which is split again. The fields are
    /// sorted by name.
    public init(_ response: HTTPURLResponse, body: Data = Data(), answering request: Request) {
        self.init(
            request: request, status: HTTPStatus(response.statusCode),
            headers: HTTPHeaders(fieldsOf: response.allHeaderFields), body: body)
    }
}

extension HTTPHeaders {
    /// The fields of an HTTPURLResponse.
    init(fieldsOf dictionary: [AnyHashable: Any]) {
        let fields = dictionary.compactMap { name, value in
            (name.base as? String).map { (name: $0, value: "\(value)") }
        }
        self.init()
        for (name, value) in fields.sorted(by: { $0.name < $1.name }) {
            let isCookie = Field(name: name, value: "").isNamed("Set-Cookie")
            // On Linux Foundation leaves the blanks behind a value, which are none of it (RFC 9110 §5.5).
            for value in isCookie ? SetCookieList.split(value) : [value] {
                append(String(ASCII.trimmed(value[...])), for: name)
            }
        }
    }
}

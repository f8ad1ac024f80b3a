public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

extension Response {
    /// URLSession's response to `request`, with the body in memory.
    ///
    /// HTTPURLResponse has no HTTP version and reason, so these are `.http1_1` and empty. Its header fields are in a
    /// dictionary: fields of one name are joined by commas, except Set-Cookie, which is split again, and Location, where
    /// `/`, `http://` or `https://` follows a comma and a space. The fields are sorted by name.
    public init(_ response: HTTPURLResponse, body: Data = Data(), answering request: Request) {
        self.init(
            request: request, status: HTTPStatus(response.statusCode),
            headers: HTTPHeaders(fieldsOf: response.allHeaderFields), body: body)
    }
}

extension HTTPHeaders {
    init(fieldsOf dictionary: [AnyHashable: Any]) {
        let fields = dictionary.compactMap { name, value in
            (name.base as? String).map { (name: $0, value: "\(value)") }
        }
        self.init()
        for (name, value) in fields.sorted(by: { $0.name < $1.name }) {
            let field = Field(name: name, value: value)
            var values = [value]
            if field.isNamed("Set-Cookie") { values = SetCookieList.split(value) }
            if field.isNamed("Location") { values = Self.splitLocations(value) }
            // On Linux Foundation leaves the blanks behind a value, which are none of it (RFC 9110 §5.5).
            for value in values { append(String(ASCII.trimmed(value[...])), for: name) }
        }
    }

    /// Splits several Location fields that were joined. A URL has no space in it, so that one which looks like two can only
    /// be a server's mistake; joined, they would lead to where neither does.
    private static func splitLocations(_ joined: String) -> [String] {
        joined.components(separatedBy: ", ").reduce(into: []) { values, piece in
            let isURL = ["/", "http://", "https://"].contains { ASCII.lowercased(piece).utf8.starts(with: $0.utf8) }
            if isURL || values.isEmpty { values.append(piece) } else { values[values.count - 1] += ", " + piece }
        }
    }
}

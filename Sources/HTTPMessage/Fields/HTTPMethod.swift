/// A request method (RFC 9110 §9): one of the nine standard methods, QUERY, or any other token.
///
/// Names are case-sensitive and sent exactly as given. `Request.init` checks that the name is a token, so an invalid
/// name is an error and never reaches a server.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    /// The method of that name, compared with case. A name that is not a token (RFC 9110 §5.6.2) is refused when a
    /// request is built.
    public init(_ name: String) { rawValue = name }
    public init(stringLiteral name: String) { rawValue = name }

    /// Asks for a representation (RFC 9110 §9.3.1): safe and idempotent.
    public static let get = HTTPMethod("GET")
    /// Asks for the headers of the GET response, without the body (RFC 9110 §9.3.2): safe and idempotent.
    public static let head = HTTPMethod("HEAD")
    /// Has the resource process the body (RFC 9110 §9.3.3): neither safe nor idempotent, so it is not sent twice
    /// unless it carries an Idempotency-Key.
    public static let post = HTTPMethod("POST")
    /// Replaces the resource with the body (RFC 9110 §9.3.4): idempotent.
    public static let put = HTTPMethod("PUT")
    /// Removes the resource (RFC 9110 §9.3.5): idempotent.
    public static let delete = HTTPMethod("DELETE")
    /// Opens a tunnel through a proxy (RFC 9110 §9.3.6). The engine sends it where needed; a program's own request
    /// cannot use it.
    public static let connect = HTTPMethod("CONNECT")
    /// Asks for the options of the resource (RFC 9110 §9.3.7): safe and idempotent.
    public static let options = HTTPMethod("OPTIONS")
    /// Has the server send back what it received (RFC 9110 §9.3.8): safe and idempotent.
    public static let trace = HTTPMethod("TRACE")
    /// Changes the resource as the body describes (RFC 5789); neither safe nor idempotent.
    public static let patch = HTTPMethod("PATCH")
    /// A query described by its body (draft-ietf-httpbis-safe-method-w-body, "The HTTP QUERY Method"): safe and
    /// idempotent like GET, with a body that needs a Content-Type. A 301 or 302 repeats it with its body, a 303 becomes
    /// a GET.
    public static let query = HTTPMethod("QUERY")

    /// Whether the method only reads (RFC 9110 §9.2.1). An unknown method counts as unsafe.
    public var isSafe: Bool { self == .get || self == .head || self == .options || self == .trace || self == .query }

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 §9.2.2). An unknown method
    /// counts as not idempotent.
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    /// Whether a body means something to it, so that a request without one says that it is empty (RFC 9110 §8.6).
    package var definesContent: Bool { self == .post || self == .put || self == .patch }

    public var description: String { rawValue }
}

/// A request method (RFC 9110 §9): one of the nine standard ones, QUERY, or any other token.
///
/// Method names are case-sensitive and are sent exactly as given. Whether the name is a valid token is checked when a
/// `Request` is built, so that a bad name is an error and never reaches a server.
public struct HTTPMethod: Sendable, Hashable, RawRepresentable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ name: String) { rawValue = name }
    public init(stringLiteral name: String) { rawValue = name }

    public static let get = HTTPMethod("GET")
    public static let head = HTTPMethod("HEAD")
    public static let post = HTTPMethod("POST")
    public static let put = HTTPMethod("PUT")
    public static let delete = HTTPMethod("DELETE")
    public static let connect = HTTPMethod("CONNECT")
    public static let options = HTTPMethod("OPTIONS")
    public static let trace = HTTPMethod("TRACE")
    public static let patch = HTTPMethod("PATCH")
    /// Asks what its body describes (draft-ietf-httpbis-safe-method-w-body, "The HTTP QUERY Method"): safe and idempotent
    /// as GET is, with a body that needs a Content-Type. A 301 or 302 repeats it with its body, a 303 leads to a GET.
    public static let query = HTTPMethod("QUERY")

    /// Whether the method only reads (RFC 9110 §9.2.1). An unknown method counts as unsafe.
    public var isSafe: Bool {
        self == .get || self == .head || self == .options || self == .trace || self == .query
    }

    /// Whether sending the request twice has the effect of sending it once (RFC 9110 §9.2.2). An unknown method counts
    /// as not idempotent.
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    public var description: String { rawValue }
}

/// The path of a request below a base URL, written as a string literal with interpolated values.
///
///     shop.get("orders/\(id)/items?state=\(state)")
///
/// - Literal parts are used as written: `/`, `?`, `..` and escapes like `%2F` mean what they mean in a URL.
/// - An interpolated value is one path segment, or part of one. Everything but the unreserved characters (RFC 3986
///   §2.3) is percent-encoded as UTF-8, so a value cannot add a segment, a query or a fragment, or change the host.
///   After a `?` it is encoded the same way.
/// - A segment that values make empty, `.` or `..` is refused when the request is built, because it would name another
///   resource: `DELETE orders/` is not `DELETE orders/7`. Encoding would not help: `%2E%2E` is a dot segment, too.
/// - `\(encoded: text)` inserts text that is already encoded. `\(segments: names)` inserts several segments, separated
///   by slashes.
///
/// A `String` is not a path, because it no longer tells data and syntax apart. `RequestPath(encoded: text)` converts
/// one. `+` joins paths.
///
/// A value without a single plain spelling, such as an optional, an array or a date, gives a compiler warning, and the
/// request fails.
public struct RequestPath: Sendable, Hashable {
    /// The path as it is joined to the base.
    public let text: String
    /// Why it cannot be used; nil if it can.
    package let problem: String?

    /// A path that is already encoded for a URL. Every character has its URL meaning.
    public init(encoded text: some StringProtocol) { self.init(text: String(text), problem: nil) }

    init(text: String, problem: String?) {
        self.text = text
        self.problem = problem
    }

    /// Concatenates two paths.
    public static func + (first: RequestPath, second: RequestPath) -> RequestPath {
        RequestPath(text: first.text + second.text, problem: first.problem ?? second.problem)
    }
}

extension RequestPath: CustomStringConvertible {
    /// The path with secret-looking query values masked.
    public var description: String { ASCII.printable(Redaction.urlText(text)) }
}

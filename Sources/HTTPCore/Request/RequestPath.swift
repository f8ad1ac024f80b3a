/// The path of a request below a base URL. It is a string literal, in which interpolated values are data:
///
///     shop.get("orders/\(id)/items?state=\(state)")
///
/// - The literal parts are used as written: `/`, `?`, `..` and escapes like `%2F` mean what they mean in a URL.
/// - An interpolated value is one path segment, or part of one: everything but the unreserved characters (RFC 3986
///   §2.3) is percent-encoded as UTF-8, so that no value can add a segment, a query or a fragment, or change the host.
///   After a `?` it is encoded the same way.
/// - A segment that values make empty, `.` or `..` is refused when the request is built, because it would name another
///   resource: `DELETE orders/` is not `DELETE orders/7`. Encoding does not help: `%2E%2E` is a dot segment, too.
/// - `\(encoded: text)` inserts text that is already encoded. `\(segments: names)` inserts several segments with a
///   slash between them.
///
/// A `String` is not a path, because data and spelling can no longer be told apart in it; `RequestPath(spelled: text)`
/// converts one. Paths are joined by `+`.
///
/// An optional, or a value without one plain spelling such as an array or a date, is a warning of the compiler, and the
/// request fails.
public struct RequestPath: Sendable, Hashable {
    /// The path as it is joined to the base.
    public let text: String
    /// What keeps it from being used.
    let problem: String?

    /// A path that is spelled for a URL already, every character with its meaning.
    public init(spelled text: some StringProtocol) { self.init(text: String(text), problem: nil) }

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

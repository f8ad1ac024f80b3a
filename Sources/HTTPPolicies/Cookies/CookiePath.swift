/// Decides which paths a cookie is sent to (RFC 6265bis §5.1.4).
enum CookiePath {
    /// The default path of a cookie without a valid Path: the directory of its URL, without the last slash.
    static func standard(for url: HTTPURL) -> String {
        let path = url.path
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether the request's `path` is the cookie's path or below it.
    static func matches(_ path: some StringProtocol, _ cookiePath: String) -> Bool {
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        let rest = path.utf8.dropFirst(cookiePath.utf8.count)
        return rest.isEmpty || cookiePath.utf8.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
    }
}

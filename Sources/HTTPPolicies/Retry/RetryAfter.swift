/// How long a server asks to wait before the next request (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Nil if the field is missing or invalid. A date in the past means no wait.
    static func wait(_ headers: HTTPHeaders, unixTime now: Double) -> Duration? {
        guard let field = headers["Retry-After"] else { return nil }
        let text = String(ASCII.trimmed(field[...]))
        if !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) {
            // A number that overflows counts as the largest.
            return .seconds(Int32(text) ?? .max)
        }
        return HTTPDate(text, now: now).map { .seconds(max(0, Double($0.unixTime) - now)) }
    }
}

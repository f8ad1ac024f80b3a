/// How long a server asks to wait before the next request (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Nil if the field is missing or invalid. A date in the past means no wait. The server's clock may differ: its Date, if
    /// there is one, is the time that the date is compared with.
    static func wait(_ headers: HTTPHeaders, unixTime now: Double) -> Duration? {
        guard let field = headers["Retry-After"] else { return nil }
        let text = String(ASCII.trimmed(field[...]))
        if !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) {
            // A number that overflows counts as the largest.
            return .seconds(Int32(text) ?? .max)
        }
        let now = headers["Date"].flatMap { HTTPDate($0, now: now) }.map { Double($0.unixTime) } ?? now
        return HTTPDate(text, now: now).map { .seconds(max(0, Double($0.unixTime) - now)) }
    }
}

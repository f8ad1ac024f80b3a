/// How long a server asks to wait before the next request (RFC 9110 §10.2.3).
enum RetryAfter {
    /// Nil if the field is missing or invalid. Some servers send a fraction of a second, which is rounded up. A date in the
    /// past means no wait. The server's clock may differ: its Date and, from a cache, Age say what time it is there.
    static func wait(_ headers: HTTPHeaders, unixTime now: Double) -> Duration? {
        guard let field = headers["Retry-After"] else { return nil }
        let text = String(ASCII.trimmed(field[...]))
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        if let whole = parts.first, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(ASCII.isDigit) }) {
            let isMore = parts.count > 1 && parts[1].contains { $0 != UInt8(ascii: "0") }
            // A number that overflows counts as the largest.
            return .seconds(Int64(Int32(Substring(whole)) ?? .max) + (isMore ? 1 : 0))
        }
        let age = headers["Age"].flatMap { UInt32($0) } ?? 0
        let now = headers["Date"].flatMap { HTTPDate($0, now: now) }.map { Double($0.unixTime) + Double(age) } ?? now
        return HTTPDate(text, now: now).map { .seconds(max(0, Double($0.unixTime) - now)) }
    }
}

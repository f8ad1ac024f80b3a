/// How many requests may be sent in a time.
public struct RateLimit: Sendable, Hashable, CustomStringConvertible {
    /// What has a limit of its own.
    public enum Scope: Sendable, Hashable {
        /// The client: all its requests together.
        case client
        /// Each host name.
        case host
    }

    /// At least 1.
    public var count: Int
    /// Above zero.
    public var interval: Duration
    /// How many may go out at once after a pause; at least 1.
    public var burst: Int
    /// What shares a limit: all requests, or those to each host.
    public var scope: Scope

    /// `count` requests in every `interval`. They are spread evenly over it, and with a burst of 1 no interval sees more
    /// than `count`; with a larger one it can see `burst - 1` more.
    public init(_ count: Int, per interval: Duration, burst: Int = 1, scope: Scope = .client) {
        self.count = count
        self.interval = interval
        self.burst = burst
        self.scope = scope
    }

    public var description: String {
        let requests = "\(count) \(count == 1 ? "request" : "requests") per \(interval.text)"
        return requests + (burst == 1 ? "" : " in bursts of \(burst)") + (scope == .host ? " and host" : "")
    }

    /// Why it is none; nil if it is fine.
    var problem: String? {
        if count < 1 { return "the number of requests must be at least 1" }
        if interval <= .zero { return "the interval must be above zero" }
        if burst < 1 { return "the burst must be at least 1" }
        return nil
    }
}

import HTTPSupport

/// A maximum number of requests per interval.
public struct RateLimit: Sendable, Hashable, CustomStringConvertible {
    /// Who shares a limit.
    public enum Scope: Sendable, Hashable {
        /// All requests of the client together.
        case client
        /// The requests to each host name.
        case host
    }

    /// The number of requests; at least 1.
    public var count: Int
    /// The length of the period; above zero.
    public var interval: Duration
    /// How many may be sent at once after a pause; at least 1.
    public var burst: Int
    /// What shares a limit: all requests, or those to each host.
    public var scope: Scope

    /// `count` requests per `interval`, spread evenly. With a burst of 1 no interval sees more than `count`; with a
    /// larger one it can see `burst - 1` more.
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

    /// Why the limit is invalid; nil if it is valid.
    var problem: String? {
        if count < 1 { return "the number of requests must be at least 1" }
        if interval <= .zero { return "the interval must be above zero" }
        if burst < 1 { return "the burst must be at least 1" }
        return nil
    }
}

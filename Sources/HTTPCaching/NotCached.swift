/// A request with `only-if-cached` (RFC 9111 §5.2.1.7) that no stored response can answer. Nothing was sent.
public struct NotCached: OtherFailure, Hashable {
    /// Why no stored response could be used.
    public let reason: CacheStatus.Forward
    /// The record of the call, secrets masked.
    public var record: CallRecord?

    /// For a cache that replaces the package's own.
    public init(_ reason: CacheStatus.Forward, record: CallRecord) {
        self.reason = reason
        self.record = record
    }
}

extension NotCached {
    public var name: String { "not_cached" }
    public var wasSent: Bool { false }

    public var sentence: String {
        let why =
            switch reason {
            case .stale: "what is cached has to be validated first"
            case .varyMiss: "what is cached is for requests with other fields"
            case .request: "its own Cache-Control rules out what is cached"
            case .bypass, .method: "it is of a kind that the cache leaves alone"
            case .uriMiss, .miss, .partial: "nothing is cached for it"
            }
        return "it says only-if-cached, and \(why); send it without, or with max-stale"
    }
}

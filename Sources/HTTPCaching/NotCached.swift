/// A request with `only-if-cached` (RFC 9111 §5.2.1.7) that no stored response can answer. Nothing was sent.
public struct NotCached: OtherFailure, Hashable {
    /// Why no stored response could be used.
    public let reason: CacheStatus.Forward
    /// Why the cache does not work, as a phrase (`HTTPCache.problem`); nil if it does.
    public let detail: String?
    /// The record of the call, secrets masked.
    public var record: CallRecord?

    /// For a cache that replaces the package's own.
    public init(_ reason: CacheStatus.Forward, detail: String? = nil, record: CallRecord) {
        self.reason = reason
        self.detail = detail
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
            case .method: "its method is always sent"
            case .bypass:
                detail.map { "the cache does not work: \($0)" } ?? "it is of a kind that the cache leaves alone"
            case .uriMiss, .miss, .partial: "nothing is cached for it"
            }
        let other = reason == .stale ? ", or add max-stale if the server lets a stale response be used" : ""
        return "it says only-if-cached, and \(why); leave only-if-cached out\(other)"
    }
}

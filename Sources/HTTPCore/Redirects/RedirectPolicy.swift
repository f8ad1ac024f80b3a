/// Whether and how redirects are followed (RFC 9110 §15.4).
public struct RedirectPolicy: Sendable, Hashable {
    /// The maximum number of redirects before the call fails, 10 by default. With 0 the redirect itself is the
    /// response.
    public var limit: Int
    /// How often one call may visit a URL with the same method, including the first visit. 3 by default.
    ///
    /// Some servers redirect to the same URL after they have set a cookie, or to make the client ask again. With 1 a
    /// redirect back to a visited URL is always refused. Visits before a change of a cookie in the request's jar do not
    /// count. Values below 1 count as 1. Without this limit, a loop would run until `limit`.
    public var visitsPerURL: Int
    /// Whether a redirect from https to http is followed. Off by default: it would send a private request in the clear.
    public var allowsInsecureHop: Bool
    /// Further header names that are sent to another origin. By default only safe-listed headers are: Authorization,
    /// Cookie, API keys and every custom header are dropped. A write keeps its conditions, its Content-Range and its
    /// Idempotency-Key, without which it could do more than it may.
    public var crossOriginHeaders: [String]
    /// Makes the final decision about each redirect; nil for none.
    private(set) var hook: Identified<@Sendable (RedirectHop) -> Verdict>?

    /// Rules for redirects. Omitted settings have their defaults.
    public init(
        limit: Int = 10, visitsPerURL: Int = 3, allowsInsecureHop: Bool = false, crossOriginHeaders: [String] = []
    ) {
        self.limit = limit
        self.visitsPerURL = visitsPerURL
        self.allowsInsecureHop = allowsInsecureHop
        self.crossOriginHeaders = crossOriginHeaders
    }

    /// Redirects are returned as responses.
    public static let never = RedirectPolicy(limit: 0)

    /// A redirect fails the call with `.redirect`. For an API without redirects, where one would mean a wrong address.
    public static let refused = RedirectPolicy().deciding { _ in .refuse("RedirectPolicy.refused follows none") }

    /// The decision of a hook about a redirect.
    public enum Verdict: Sendable, Hashable {
        /// The redirect is followed, unless another rule of the policy forbids it.
        case follow
        /// The call fails with `.redirect`, the reason `.refusedByPolicy` and this text.
        case refuse(String)
    }

    /// The same policy with a hook: `decide` is called before each redirect that the policy would otherwise follow, and
    /// receives its URLs, status and method. It replaces an earlier hook.
    ///
    /// It is called once for each redirect, on the thread that drives the call. It must not block: one thread drives
    /// many calls of a batch and many awaited calls.
    public func deciding(_ decide: @escaping @Sendable (RedirectHop) -> Verdict) -> RedirectPolicy {
        var copy = self
        copy.hook = Identified(decide)
        return copy
    }
}

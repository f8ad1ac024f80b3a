/// Whether and how redirects are followed (RFC 9110 §15.4).
public struct RedirectPolicy: Sendable, Hashable {
    /// How many hops are followed before the call fails, 10. With 0 the redirect itself is the response.
    public var limit: Int
    /// How often one call may visit a URL with the same method, the first visit included, 3. Some servers lead back to the
    /// same URL because they have just noted something about the client, or to have it ask again; a client without a
    /// limit would go round until `limit`. With 1 every way back is refused. Visits before a cookie of the request's jar
    /// changed do not count. Values below 1 count as 1.
    public var visitsPerURL: Int
    /// Whether a hop from https to http is followed. Off: what was asked for in private would travel in the clear.
    public var allowsInsecureHop: Bool
    /// Names of further headers that travel to another origin. Without them only the safe-listed ones do: Authorization,
    /// Cookie, API keys and every custom header stay behind.
    public var crossOriginHeaders: [String]
    /// Has the last word on each hop; nil for none.
    private(set) var hook: RedirectHook?

    /// Rules for redirects. Omitted settings have their defaults.
    public init(
        limit: Int = 10, visitsPerURL: Int = 3, allowsInsecureHop: Bool = false, crossOriginHeaders: [String] = []
    ) {
        self.limit = limit
        self.visitsPerURL = visitsPerURL
        self.allowsInsecureHop = allowsInsecureHop
        self.crossOriginHeaders = crossOriginHeaders
    }

    /// Redirects are returned as they came.
    public static let never = RedirectPolicy(limit: 0)

    /// A redirect fails the call with `.redirect`: for an API that has none, where one would mean a wrong address.
    public static let refused = RedirectPolicy().deciding { _ in .refuse("RedirectPolicy.refused follows none") }

    /// The decision of a hook about a hop.
    public enum Verdict: Sendable, Hashable {
        /// The redirect is followed, if nothing else of the policy forbids it.
        case follow
        /// The call fails with `.redirect`, for `.refusedByPolicy` and these words.
        case refuse(String)
    }

    /// The same policy, which asks `decide` before each hop that it would follow otherwise: whence, whereto, by which
    /// status and method. It takes the place of an earlier hook.
    ///
    /// It is called once for each hop, on the thread that drives the call, and must not wait there: of a batch, or of
    /// calls that are awaited, one thread drives many.
    public func deciding(_ decide: @escaping @Sendable (RedirectHop) -> Verdict) -> RedirectPolicy {
        var copy = self
        copy.hook = RedirectHook(decide)
        return copy
    }
}

/// A closure that is asked about hops. Equal to itself and its copies alone, as closures cannot be compared.
final class RedirectHook: Sendable, Hashable {
    let decide: @Sendable (RedirectHop) -> RedirectPolicy.Verdict

    init(_ decide: @escaping @Sendable (RedirectHop) -> RedirectPolicy.Verdict) { self.decide = decide }

    static func == (one: RedirectHook, other: RedirectHook) -> Bool { one === other }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

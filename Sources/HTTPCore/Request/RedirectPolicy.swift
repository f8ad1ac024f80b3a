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
}

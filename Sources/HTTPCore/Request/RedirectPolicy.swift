/// Whether and how redirects are followed (RFC 9110 §15.4).
public struct RedirectPolicy: Sendable, Hashable {
    /// How many hops are followed before the call fails, 10. With 0 the redirect itself is the response.
    public var limit: Int
    /// Whether a hop from https to http is followed. Off: what was asked for in private would travel in the clear.
    public var allowsInsecureHop: Bool
    /// Names of further headers that travel to another origin. Without them only the safe-listed ones do: Authorization,
    /// Cookie, API keys and every custom header stay behind.
    public var crossOriginHeaders: [String]

    public init(limit: Int = 10, allowsInsecureHop: Bool = false, crossOriginHeaders: [String] = []) {
        self.limit = limit
        self.allowsInsecureHop = allowsInsecureHop
        self.crossOriginHeaders = crossOriginHeaders
    }

    /// Redirects are returned as they came.
    public static let never = RedirectPolicy(limit: 0)
}

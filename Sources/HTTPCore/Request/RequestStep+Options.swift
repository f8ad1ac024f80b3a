extension RequestStep {
    /// The limit for the whole call; nil for none.
    public static func timeout(_ total: Duration?) -> RequestStep { RequestStep(.setTotalTimeout(total)) }

    /// The limit until a connection is usable; nil for none.
    public static func connectTimeout(_ connect: Duration?) -> RequestStep {
        RequestStep { $0.timeouts.connect = connect }
    }

    /// The longest silence between two bytes; nil for none.
    public static func idleTimeout(_ idle: Duration?) -> RequestStep { RequestStep { $0.timeouts.idle = idle } }

    /// Whether content codings (`gzip`, `br` …) are asked for and undone, which is the default. With false the request says
    /// `Accept-Encoding: identity`, and a body that is coded all the same is kept as it came, with its Content-Encoding. To
    /// get a coded body on purpose, give the header Accept-Encoding: what is asked for in so many words is not undone.
    public static func contentDecoding(_ isOn: Bool) -> RequestStep {
        isOn ? .removingHeader("Accept-Encoding") : .header("Accept-Encoding", "identity")
    }

    /// Follows redirects by `policy`.
    public static func redirects(_ policy: RedirectPolicy) -> RequestStep { RequestStep { $0.redirects = policy } }

    /// Asks `decide` before each redirect is followed, and keeps the rest of the policy: `RedirectPolicy.deciding`.
    ///
    ///     .redirects { hop in hop.location.host == "api.example.com" ? .follow : .refuse("another host") }
    public static func redirects(
        _ decide: @escaping @Sendable (RedirectHop) -> RedirectPolicy.Verdict
    ) -> RequestStep { RequestStep { $0.redirects = $0.redirects.deciding(decide) } }

    /// The largest body, in bytes after decoding, that the response may bring into memory.
    public static func bodyLimit(_ bytes: Int) -> RequestStep { RequestStep { $0.limits.bodyBytes = bytes } }

    /// The largest response head, in bytes.
    public static func headerLimit(_ bytes: Int) -> RequestStep { RequestStep { $0.limits.headerBytes = bytes } }

    /// Speaks the HTTP version that `policy` says.
    public static func version(_ policy: VersionPolicy) -> RequestStep { RequestStep { $0.version = policy } }
}

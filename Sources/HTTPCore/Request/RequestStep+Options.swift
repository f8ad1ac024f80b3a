extension RequestStep {
    /// The time limit of the whole call; nil for none.
    public static func timeout(_ total: Duration?) -> RequestStep { RequestStep(.setTotalTimeout(total)) }

    /// The time limit until a connection is usable; nil for none.
    public static func connectTimeout(_ connect: Duration?) -> RequestStep {
        RequestStep { $0.timeouts.connect = connect }
    }

    /// The longest silence between two bytes; nil for none. The wait for a source of the request's body does not count.
    public static func idleTimeout(_ idle: Duration?) -> RequestStep { RequestStep { $0.timeouts.idle = idle } }

    /// Whether content codings (`gzip`, `br` …) are requested and decoded; true by default. With false the request
    /// sends the Accept-Encoding that it has, or else `identity`, and a body that is coded is returned undecoded, with its
    /// Content-Encoding. With true an Accept-Encoding is removed, as what a request asks for by itself is not decoded.
    ///
    /// A decoded response keeps its Content-Encoding, and the Content-Length of the coded body: whoever passes it on drops
    /// both.
    public static func contentDecoding(_ isOn: Bool) -> RequestStep {
        let name = "Accept-Encoding"
        guard !isOn else { return .removingHeader(name) }
        return RequestStep { if !$0.headers.contains(name) { $0.headers.append("identity", for: name) } }
    }

    /// Follows redirects by `policy`.
    public static func redirects(_ policy: RedirectPolicy) -> RequestStep { RequestStep { $0.redirects = policy } }

    /// Calls `decide` before each redirect is followed, and keeps the rest of the policy: see
    /// `RedirectPolicy.deciding`.
    ///
    ///     .redirects { hop in hop.location.host == "api.example.com" ? .follow : .refuse("another host") }
    public static func redirects(
        _ decide: @escaping @Sendable (RedirectHop) -> RedirectPolicy.Verdict
    ) -> RequestStep { RequestStep { $0.redirects = $0.redirects.deciding(decide) } }

    /// The maximum size of a response body, in bytes after decoding. Once set, it holds for files and sinks, too. By
    /// default 64 MiB for a body in memory, and no limit for any other.
    public static func bodyLimit(_ bytes: Int) -> RequestStep { RequestStep { $0.limits.bodyBytes = bytes } }

    /// The maximum size of the header and trailer fields of one response, in bytes. 64 KiB by default.
    public static func headerLimit(_ bytes: Int) -> RequestStep { RequestStep { $0.limits.headerBytes = bytes } }

    /// Sets the HTTP versions to use.
    public static func version(_ policy: VersionPolicy) -> RequestStep { RequestStep { $0.version = policy } }
}

/// The record of a failed call. Safe to print and to log, because secrets are masked.
public struct CallRecord: Sendable, Hashable {
    /// The method of the exchange that failed.
    public var method: HTTPMethod
    /// The URL of the exchange that failed, secrets masked. Empty where the work that would have made a request never
    /// came to it.
    public var url: String
    /// Host and port it was for.
    public var authority: String
    /// Host and port of the proxy on the way there; nil for none.
    public var proxy: String?
    /// The unix-domain socket in place of a way there; nil for none.
    public var unixSocketPath: String?
    /// The total timeout of the request; nil for none.
    var timeout: Duration?
    /// How far that exchange got.
    public var phase: CallPhase
    /// Its timings, remote address and byte counts, as far as it got.
    public var metrics: Metrics
    /// The redirects that were followed before it.
    public var redirects: [RedirectHop]
    /// The engine's own words and number, for information only: they differ between engines and versions.
    public var engine: UnderlyingError?

    /// The engine's own account of a failure.
    public struct UnderlyingError: Sendable, Hashable {
        /// The engine's number: a `CURLcode` of libcurl, a code of `URLError`. It differs between engines; do not
        /// decide by it.
        public let code: Int
        /// The engine's words, in English, as its version has them.
        public let message: String

        /// An account of an engine, for an engine of your own and for tests.
        public init(code: Int, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// A record of a call that is sending `request`. Secrets in the URL are masked.
    public init(
        _ request: Request, phase: CallPhase = .starting, metrics: Metrics = Metrics(), redirects: [RedirectHop] = [],
        engine: UnderlyingError? = nil
    ) {
        method = request.method
        url = Redaction.url(request.url)
        authority = request.url.origin.authority
        timeout = request.timeouts.total
        self.phase = phase
        self.metrics = metrics
        self.redirects = redirects
        self.engine = engine
    }

    /// For work that ended before it made a request; `authority` is where that would have gone, as far as it is known.
    public init(unsentTo authority: String?, phase: CallPhase) {
        method = .get
        url = ""
        self.authority = authority ?? ""
        self.phase = phase
        metrics = Metrics()
        redirects = []
    }
}

/// The phase of an exchange.
public enum CallPhase: String, Sendable, Hashable, CaseIterable {
    /// Waiting to be started.
    case queued
    /// Waiting to be tried again.
    case betweenAttempts
    /// Waiting for the token that it is to carry.
    case authorizing
    /// Waiting for the response to the same request of another call; see `Interceptor.cache(_:)`.
    case collapsed
    /// Before anything else: the request is checked and the body opened.
    case starting
    /// Looking up the host name.
    case resolving
    /// Opening the connection, or waiting for the proxy to do so.
    case connecting
    /// The TLS handshake.
    case securing
    /// Sending the request.
    case sending
    /// The request is sent, and the first byte of the response is not there.
    case waiting
    /// Receiving the response.
    case receiving
}

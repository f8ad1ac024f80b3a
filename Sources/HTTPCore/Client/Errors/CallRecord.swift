/// The record of a failed call. Secrets are masked, so it is safe to print and to log.
public struct CallRecord: Sendable, Hashable {
    /// The method of the exchange that failed; GET if the work failed before it made a request.
    public var method: HTTPMethod
    /// The URL of the exchange that failed, secrets masked. Empty if the work failed before it made a request.
    public var url: String
    /// The host and port of the server.
    public var authority: String
    /// The host and port of the proxy; nil for none.
    public var proxy: String?
    /// The path of the unix-domain socket; nil for none.
    public var unixSocketPath: String?
    /// The phase in which the exchange failed.
    public var phase: CallActivity
    /// Its timings, remote address and byte counts up to the failure.
    public var metrics: Metrics
    /// The redirects that were followed before it.
    public var redirects: [RedirectHop]
    /// The engine's own message and code, for information only: they differ between engines and versions.
    public var engine: UnderlyingError?

    /// An error as reported by the engine.
    public struct UnderlyingError: Sendable, Hashable {
        /// The engine's code: a `CURLcode` of libcurl, a code of `URLError`. It differs between engines, so do not base
        /// decisions on it.
        public let code: Int
        /// The engine's message, in English. It varies between versions.
        public let message: String

        /// For a custom engine and for tests.
        public init(code: Int, message: String) {
            self.code = code
            self.message = ASCII.printable(message)
        }
    }

    /// The record of a call that sends `request`. Secrets in the URL are masked.
    public init(
        _ request: Request, phase: CallActivity = .starting, metrics: Metrics = Metrics(),
        redirects: [RedirectHop] = [],
        engine: UnderlyingError? = nil
    ) {
        method = request.method
        url = Redaction.url(request.url)
        authority = request.url.origin.authority
        self.phase = phase
        self.metrics = metrics
        self.redirects = redirects
        self.engine = engine
    }

    /// The record of a call that failed before it sent `request`.
    package init(unsent request: Request, phase: CallActivity = .starting) {
        self.init(request, phase: phase, metrics: Metrics(attemptCount: 0))
    }

    /// For work that failed before it made a request. `authority` is the intended destination, if known.
    package init(unsentTo authority: String?, phase: CallActivity) {
        method = .get
        url = ""
        self.authority = authority ?? ""
        self.phase = phase
        metrics = Metrics(attemptCount: 0)
        redirects = []
    }

    /// The line for the log, with the readable form of A-labels.
    var line: String {
        let request = url.isEmpty ? "a call" + (authority.isEmpty ? "" : " to \(authority)") : "\(method) \(url)"
        return request + HostName.note(authority)
    }

    /// The phase in words, with the host.
    var doing: String {
        // An address in the URL is not repeated.
        let address = metrics.remoteAddress.map { authority.contains($0) ? "" : " (\($0))" } ?? ""
        return phase.doing(among: .init(host: authority, firstPeer: firstPeer, address: address, proxy: proxy))
    }

    /// The first peer of the connection: the proxy, if any.
    var firstPeer: String {
        unixSocketPath.map { "the unix-domain socket \($0)" } ?? proxy.map { "the proxy \($0)" } ?? authority
    }

    /// The warning of a call that the server may have processed; nil if to repeat it is harmless.
    var warning: String? {
        let earlier = metrics.earlier.map(\.method)
        guard !(earlier + [method]).allSatisfy(\.isIdempotent) else { return nil }
        let which = earlier.isEmpty ? "the request" : "a request of this call"
        return "; \(which) may have taken effect: check before sending it again"
    }

    /// ` (engine's message)`, if there is one.
    package var engineWords: String { engine.map { " (\($0.message))" } ?? "" }
}

/// Of a call that was cancelled.
extension CallRecord: CallFailure {
    var error: HTTPError { .cancelled(self) }
    var record: CallRecord {
        get { self }
        set { self = newValue }
    }
    var verb: String? { nil }
    var shortReason: String { "cancelled" }
    var sentence: String { "was cancelled while \(doing)" }
}

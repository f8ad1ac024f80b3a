/// One exchange of a call: its request, the duration of each phase, and its outcome. It contains no secrets.
public struct CallAttempt: Sendable, Hashable, Codable {
    /// The outcome of an exchange.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Outcome: Sendable, Hashable, Codable {
        /// A complete response head arrived.
        case answered(HTTPStatus)
        /// The phase in which it failed, and the reason in a few words.
        case failed(CallActivity, reason: String)
    }

    /// The target of a redirect.
    public struct Redirect: Sendable, Hashable, Codable {
        /// The method of the next request.
        public var method: HTTPMethod
        /// The target URL, secrets masked.
        public var location: String
        /// The names of the header fields that were dropped: those of the first origin, and those of a dropped body.
        public var withheldHeaders: [String]
        /// Whether the body of the request was sent again.
        public var repeatsBody: Bool

        package init(method: HTTPMethod, location: String, withheldHeaders: [String], repeatsBody: Bool) {
            self.method = method
            self.location = location
            self.withheldHeaders = withheldHeaders
            self.repeatsBody = repeatsBody
        }
    }

    /// Its number among the exchanges of the call, from 1.
    public var number: Int
    /// When it began, counted from the start of the call.
    public var start: Duration
    /// The method of the request as it was sent.
    public var method: HTTPMethod
    /// The URL, secrets masked. Empty for work that ended before there was a request.
    public var url: String
    /// The host and port of the server.
    public var authority: String
    /// When each phase ended, relative to the start of the exchange.
    public var timings: PhaseTimings
    /// The time between a policy and the transport, outside the exchange: closure interceptors and thread switches.
    /// Zero if no policy measured it, because none waited or sent a second request.
    public var handover: Duration
    /// The address of the connected server or proxy; nil for none.
    public var remoteAddress: String?
    /// The port of that address; nil for none.
    public var remotePort: Int?
    /// Whether the connection had carried a request before.
    public var isConnectionReused: Bool
    /// The connection; nil if the engine does not report it.
    public var connection: ConnectionInfo?
    /// Bytes of the request's head and body.
    public var bytesSent: Int64
    /// Bytes of the response's head and body as received, before content decoding.
    public var bytesReceived: Int64
    /// The outcome of the exchange.
    public var outcome: Outcome
    /// The redirect it led to; nil for none.
    public var redirect: Redirect?

    /// The last exchange that `metrics` describe.
    init(_ metrics: Metrics, method: HTTPMethod, url: String, authority: String, outcome: Outcome) {
        number = metrics.attemptCount
        start = metrics.start
        self.method = method
        self.url = url
        self.authority = authority
        timings = metrics.timings
        handover = metrics.handover
        remoteAddress = metrics.remoteAddress
        remotePort = metrics.remotePort
        isConnectionReused = metrics.isConnectionReused
        connection = metrics.connection
        bytesSent = metrics.bytesSent
        bytesReceived = metrics.bytesReceived
        self.outcome = outcome
    }

    /// The exchange that `record` describes.
    package init(_ record: CallRecord, outcome: Outcome) {
        self.init(
            record.metrics, method: record.method, url: record.url, authority: record.authority, outcome: outcome)
    }

    /// The status; nil if the exchange failed.
    public var status: HTTPStatus? {
        if case .answered(let status) = outcome { status } else { nil }
    }

    /// When it ended, relative to the start of the call.
    public var end: Duration { start + duration }

    /// The duration of the exchange.
    public var duration: Duration { max(timings.complete, timings.finished) }
}

extension HTTPMethod: Codable {}
extension HTTPStatus: Codable {}

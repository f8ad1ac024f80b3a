/// One exchange of a call: what was sent where, how long each phase took, and what came of it. Holds no secret.
public struct CallAttempt: Sendable, Hashable, Codable {
    /// What came of an exchange.
    public enum Outcome: Sendable, Hashable, Codable {
        /// A whole response head came.
        case answered(HTTPStatus)
        /// The phase in which it ended, and why in a few words.
        case failed(CallPhase, reason: String)
    }

    /// Where a redirect led.
    public struct Redirect: Sendable, Hashable, Codable {
        /// The method of the request that went on.
        public var method: HTTPMethod
        /// Secrets masked.
        public var location: String
        /// The names of the header fields that were not forwarded: those that belong to the first origin, and those of a
        /// dropped body.
        public var withheldHeaders: [String]
        /// Whether the body of the request was sent again.
        public var repeatsBody: Bool
    }

    /// Its place among the exchanges of the call, from 1.
    public var number: Int
    /// When it began, counted from the start of the call.
    public var start: Duration
    /// The method of the request as it was sent.
    public var method: HTTPMethod
    /// Secrets masked. Empty for work that ended before there was a request.
    public var url: String
    /// Host and port.
    public var authority: String
    /// When each phase was over, counted from the start of the exchange.
    public var timings: PhaseTimings
    /// The time between a policy and the transport, outside the exchange: interceptors that are closures, and changes of
    /// thread. Zero if no policy measured it because none waited or sent a second request.
    public var handover: Duration
    /// The address of the server or proxy that the connection led to; nil for none.
    public var remoteAddress: String?
    /// The port of that address; nil for none.
    public var remotePort: Int?
    /// Whether the connection had carried a request before.
    public var isConnectionReused: Bool
    /// Facts about the connection; nil if the engine has none.
    public var connection: ConnectionInfo?
    /// Bytes of the request body and of its head.
    public var bytesSent: Int64
    /// Bytes of the response's head and of its body as it came, before content decoding.
    public var bytesReceived: Int64
    /// What came of it.
    public var outcome: Outcome
    /// The redirect it led to; nil for none.
    public var redirect: Redirect?

    /// The last exchange that `metrics` describe.
    init(_ metrics: Metrics, method: HTTPMethod, url: String, authority: String, outcome: Outcome) {
        number = metrics.attempts
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

    /// Nil if it failed.
    public var status: HTTPStatus? {
        if case .answered(let status) = outcome { status } else { nil }
    }

    /// When it was over, counted from the start of the call.
    public var end: Duration { start + duration }

    /// How long it took.
    public var duration: Duration { max(timings.complete, timings.finished) }
}

extension [CallAttempt] {
    /// Appends one, and drops one from the middle beyond `CallHistory.limit`: the first and the last say the most.
    package mutating func record(_ attempt: CallAttempt) {
        if count >= CallHistory.limit { remove(at: CallHistory.limit / 2) }
        append(attempt)
    }
}

extension HTTPMethod: Codable {}
extension HTTPStatus: Codable {}
extension CallPhase: Codable {}

/// One exchange of a call: what was sent where, how long each part of it took, and what became of it. Nothing in it is
/// secret.
public struct CallAttempt: Sendable, Hashable, Codable {
    public enum Outcome: Sendable, Hashable, Codable {
        case answered(HTTPStatus)
        /// It got so far, and why no farther in a few words.
        case failed(CallPhase, reason: String)
    }

    /// When it began, counted from the start of the call.
    public var start: Duration
    public var method: HTTPMethod
    /// Secrets masked. Empty for work that never came to a request.
    public var url: String
    /// The host and port that it was for.
    public var authority: String
    public var timings: PhaseTimings
    /// The address of the server or proxy that the connection led to; nil where there was none.
    public var remoteAddress: String?
    public var remotePort: Int?
    public var isConnectionReused: Bool
    /// What is known of the connection; nil where the engine does not say.
    public var connection: ConnectionFacts?
    public var bytesSent: Int64
    public var bytesReceived: Int64
    public var outcome: Outcome

    /// The last exchange that `metrics` tell of.
    init(_ metrics: Metrics, method: HTTPMethod, url: String, authority: String, outcome: Outcome) {
        start = metrics.start
        self.method = method
        self.url = url
        self.authority = authority
        timings = metrics.timings
        remoteAddress = metrics.remoteAddress
        remotePort = metrics.remotePort
        isConnectionReused = metrics.isConnectionReused
        connection = metrics.connection
        bytesSent = metrics.bytesSent
        bytesReceived = metrics.bytesReceived
        self.outcome = outcome
    }

    /// The exchange that `record` is of.
    package init(_ record: CallRecord, outcome: Outcome) {
        self.init(
            record.metrics, method: record.method, url: record.url, authority: record.authority, outcome: outcome)
    }

    /// Whether it only pointed on, to the exchange behind it.
    var isRedirect: Bool {
        if case .answered(let status) = outcome { status.isRedirection && status != .notModified } else { false }
    }

    var status: HTTPStatus? {
        if case .answered(let status) = outcome { status } else { nil }
    }

    var end: Duration { start + timings.complete }
}

/// A time in which a call was not in an exchange: something kept it waiting.
public struct CallWait: Sendable, Hashable, Codable {
    public enum Cause: String, Sendable, Hashable, Codable, CaseIterable {
        /// For its turn by `.rateLimit`.
        case rateLimit
        /// For the next attempt by `.retry`.
        case backoff
        /// For a token by `.bearer`.
        case token
    }

    public var cause: Cause
    /// When it began, counted from the start of the call.
    public var start: Duration
    public var duration: Duration
}

extension CallWait.Cause {
    /// Why a policy waits in `phase`.
    init(_ phase: CallPhase) {
        self =
            switch phase {
            case .betweenAttempts: .backoff
            case .authorizing: .token
            default: .rateLimit
            }
    }
}

extension HTTPMethod: Codable {}
extension HTTPStatus: Codable {}
extension CallPhase: Codable {}

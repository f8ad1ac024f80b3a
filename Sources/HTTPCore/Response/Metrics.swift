import HTTPSupport

/// The timing, traffic and connection of the exchange that brought the response: the last of a chain of redirects.
public struct Metrics: Sendable, Hashable {
    /// When each phase of the exchange ended.
    public var timings: PhaseTimings
    /// The duration of the whole call, including redirects, retries and waits.
    public var total: Duration
    /// The part of `total` that the call spent outside its exchanges: in the queue of a dispatcher or a rate limiter,
    /// before a retry, until a new token arrived, or in any other policy.
    public var waited = Duration.zero
    /// The last connection; nil if the engine does not report it.
    public var connection: ConnectionInfo?
    /// The number of the exchange within its transport; 0 for none. A call without an id of its own has this one.
    package var serial: UInt64 = 0
    private var prelude: CallPrelude?
    /// The address of the connected server or proxy, without brackets; nil on a unix-domain socket.
    public var remoteAddress: String?
    /// The remote port; nil on a unix-domain socket, or if the engine does not report it.
    public var remotePort: Int?
    /// The local address, without brackets; nil if the engine does not report it.
    public var localAddress: String?
    /// The local port; nil if the engine does not report it.
    public var localPort: Int?
    /// Whether the connection had carried a request before.
    public var isConnectionReused = false
    /// Bytes of the request's head and body.
    public var bytesSent: Int64 = 0
    /// Bytes of the response's header fields and body as received, before content decoding.
    public var bytesReceived: Int64 = 0
    /// The number of exchanges of the call: 1, plus one for each redirect and retry. Components that repeat a request
    /// (the transport, `.retry()`, `.bearer(_:)`) add the earlier exchanges. 0 if no exchange began. Always 1 in the record
    /// of a call that was cancelled or timed out within a suspending closure, whatever was sent.
    public var attemptCount = 1
    /// Whether the `RetryBudget` of `.retry()` refused a retry that was due, because it has none left: too many calls to
    /// that origin, or of all that share the budget, were retried, or its capacity is 0. False if no retry was due, or if
    /// the policy's own limit ended the call.
    public var isRetryRefused = false
    /// Whether the server refused the token of `.bearer(_:)`, and `BearerTokens.RefreshWindow` allowed no further
    /// refresh.
    public var isRefreshRefused = false

    /// Metrics with all durations zero.
    public init() { self.init(timings: PhaseTimings(), total: .zero) }

    @inlinable
    package init(timings: PhaseTimings = PhaseTimings(), total: Duration = .zero, attemptCount: Int = 1) {
        self.timings = timings
        self.total = total
        self.attemptCount = attemptCount
    }
}

/// The parts of the call before and after the last exchange, from which `CallHistory` is made.
extension Metrics {
    /// Identifies the call within this process.
    package var id: CallID { prelude?.values.id ?? CallID(number: serial) }
    /// When the last exchange began, relative to the start of the call.
    package var start: Duration { prelude?.values.start ?? .zero }
    /// The exchanges before the last one: those that were redirected, and those that were retried. If there are more
    /// than `CallHistory.limit`, the middle ones are left out.
    package var earlier: [CallAttempt] { prelude?.values.attempts ?? [] }
    /// The waits of the call, with their causes.
    package var waits: [CallWait] { prelude?.values.waits ?? [] }
    /// `CallAttempt.handover` of the last exchange.
    var handover: Duration { prelude?.values.handover ?? .zero }

    package mutating func changePrelude(_ change: (inout CallPrelude.Values) -> Void) {
        var values = prelude?.values ?? CallPrelude.Values()
        change(&values)
        prelude = CallPrelude(values)
    }

    package mutating func setID(_ id: CallID) {
        if self.id != id { changePrelude { $0.id = id } }
    }

    /// Adds a wait during the exchanges.
    package mutating func note(_ wait: CallWait) {
        waited += wait.duration
        changePrelude { $0.append(wait) }
    }

    /// Moves the start of the call back to that of `wait`.
    package mutating func insert(_ wait: CallWait) {
        total += wait.duration
        waited += wait.duration
        changePrelude { values in
            var whole = CallPrelude.Values(waits: [wait], waited: wait.duration)
            whole.append(values, at: wait.duration)
            values = whole
        }
    }
}

extension Metrics {
    /// The figures for a line of the log.
    package struct Figures {
        package let waited: TimeSpan
        package let bytesSent: Int64
        package let bytesReceived: Int64
        package let attemptCount: Int
        package let isRetryRefused: Bool
        package let isRefreshRefused: Bool

        package init(_ metrics: Metrics) {
            waited = TimeSpan(metrics.waited)
            bytesSent = metrics.bytesSent
            bytesReceived = metrics.bytesReceived
            attemptCount = metrics.attemptCount
            isRetryRefused = metrics.isRetryRefused
            isRefreshRefused = metrics.isRefreshRefused
        }
    }
}

/// When each phase of one exchange ended, relative to its start. Zero for a phase that did not take place.
///
/// The first exchange begins with the call, every other when the one before it ended. Likewise each phase begins when
/// the one before it ended, and `finished` is the end of the exchange.
public struct PhaseTimings: Sendable, Hashable, Codable {
    /// The engine began: the request was checked, a connection or a slot for one was taken from the pool, and the body
    /// was opened. Zero if not measured.
    public var started = Duration.zero
    /// The host name was resolved.
    public var resolved = Duration.zero
    /// The TCP connection was open.
    public var connected = Duration.zero
    /// The tunnel through a proxy (CONNECT or SOCKS) was open, and the TLS handshake with the server about to begin.
    /// The TLS handshake with the proxy itself, if any, is part of the tunnel, because libcurl reports one time for
    /// both.
    ///
    /// Zero if there is no tunnel, or if it is not measured: on a connection without TLS, with a libcurl that does not
    /// use OpenSSL, and with URLSession. The tunnel is then part of `secured`, or of `ready` without TLS.
    public var tunneled = Duration.zero
    /// The TLS handshake was done.
    public var secured = Duration.zero
    /// The request was about to be sent.
    public var ready = Duration.zero
    /// The last byte of the request's body was handed to the system. Zero if not measured: a body of up to 64 KiB is
    /// sent with the head.
    public var sent = Duration.zero
    /// The first byte of the response arrived.
    public var firstByte = Duration.zero
    /// The last byte of the response arrived and was decoded.
    public var complete = Duration.zero
    /// The response was checked and handed over, and the sink of its body finished: the end of the exchange. Zero if
    /// not measured.
    public var finished = Duration.zero
    /// The time spent on content decoding (gzip, deflate, br, zstd) between the first byte and the last. It is a
    /// duration, not a point in time. Zero if the body was not encoded, or if the engine decodes it itself, as
    /// URLSession does.
    public var contentDecoding = Duration.zero

    /// Timings with all values zero.
    @inlinable
    public init() {}
}

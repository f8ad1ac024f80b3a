/// What an exchange took and where it went: the one that brought the response, the last of a chain of redirects.
public struct Metrics: Sendable, Hashable {
    /// When each phase of the exchange was over.
    public var timings: PhaseTimings
    /// The whole call: redirects, retries and waits included.
    public var total: Duration
    /// What of `total` went by while the call was between two exchanges or before the first one: waiting for its turn in the queue of
    /// a dispatcher or by a rate limit, for its next attempt, or for a new token.
    public var waited = Duration.zero
    /// The facts of the last connection; nil if the engine does not report them.
    public var connection: ConnectionInfo?
    /// Identifies an exchange of a transport, and is the id of the call if it has no other; 0 for none.
    package var serial: UInt64 = 0
    private var prelude: CallPrelude?
    /// The address of the server or proxy that the connection leads to, without brackets; nil on a unix-domain socket.
    public var remoteAddress: String?
    /// The port on the other side; nil on a unix-domain socket, or where the engine does not tell.
    public var remotePort: Int?
    /// The address of this side, without brackets; nil where the engine does not tell.
    public var localAddress: String?
    /// The port on this side; nil where the engine does not tell.
    public var localPort: Int?
    /// Whether the connection had carried a request before.
    public var isConnectionReused = false
    /// Bytes of the request body and of its head.
    public var bytesSent: Int64 = 0
    /// Bytes of the response's header fields and of its body as it came, before content decoding.
    public var bytesReceived: Int64 = 0
    /// The number of exchanges of the call: 1, and one for every redirect and every retry. Whatever repeats a request
    /// (the transport, `.retry()`, `.bearer(_:)`) adds the earlier exchanges; 0 if none was begun.
    public var attempts = 1
    /// Whether one more attempt was due that the `RetryBudget` of `.retry()` refused: too many calls of the client had
    /// been tried again already. False where no attempt was due, and where the policy's own limit ended the call.
    public var isRetryRefused = false

    /// Metrics in which nothing took any time.
    public init() { self.init(timings: PhaseTimings(), total: .zero) }

    @inlinable
    package init(
        timings: PhaseTimings, total: Duration, remoteAddress: String? = nil, remotePort: Int? = nil,
        localAddress: String? = nil, localPort: Int? = nil, isConnectionReused: Bool = false, bytesSent: Int64 = 0,
        bytesReceived: Int64 = 0, attempts: Int = 1
    ) {
        self.timings = timings
        self.total = total
        self.remoteAddress = remoteAddress
        self.remotePort = remotePort
        self.localAddress = localAddress
        self.localPort = localPort
        self.isConnectionReused = isConnectionReused
        self.bytesSent = bytesSent
        self.bytesReceived = bytesReceived
        self.attempts = attempts
    }
}

/// The parts of the call before and after the last exchange.
extension Metrics {
    /// Tells the call from all others of this process.
    public var id: CallID { prelude?.values.id ?? CallID(number: serial) }
    /// When the last exchange began, counted from the start of the call.
    public var start: Duration { prelude?.values.start ?? .zero }
    /// The exchanges before the last one: those that led to a redirect, and those that were tried again. Of more than
    /// `CallHistory.limit` the ones in the middle are left out.
    public var earlier: [CallAttempt] { prelude?.values.attempts ?? [] }
    /// What kept the call waiting.
    public var waits: [CallWait] { prelude?.values.waits ?? [] }
    /// How long decoding of the body by `decoded(as:)` took so far; not part of `total`.
    public var decoding: Duration { prelude?.values.decoding ?? .zero }
    /// `CallAttempt.handover` of the last exchange.
    var handover: Duration { prelude?.values.handover ?? .zero }

    mutating func changePrelude(_ change: (inout CallPrelude.Values) -> Void) {
        var values = prelude?.values ?? CallPrelude.Values()
        change(&values)
        prelude = CallPrelude(values)
    }

    mutating func setDecoding(_ duration: Duration) { changePrelude { $0.decoding = duration } }

    mutating func setID(_ id: CallID) {
        if self.id != id { changePrelude { $0.id = id } }
    }

    /// Those of a call that began `duration` earlier and waited for so long.
    package mutating func insertWait(_ duration: Duration, _ cause: CallWait.Cause) {
        total += duration
        waited += duration
        changePrelude { values in
            values.shift(by: duration)
            values.waits.insert(CallWait(cause, start: .zero, duration: duration), at: 0)
        }
    }
}

extension Metrics {
    /// The figures in a line of the log.
    struct Figures {
        let waited: Duration
        let bytesSent: Int64
        let bytesReceived: Int64
        let attempts: Int
        let isRetryRefused: Bool

        init(_ metrics: Metrics) {
            waited = metrics.waited
            bytesSent = metrics.bytesSent
            bytesReceived = metrics.bytesReceived
            attempts = metrics.attempts
            isRetryRefused = metrics.isRetryRefused
        }
    }
}

/// When each phase of one exchange was over, counted from its start. Zero for a phase that did not take place.
///
/// An exchange begins where the one before it ended, the first one with the call: each phase begins where the one before it
/// ended, and `finished` is the end of the last.
public struct PhaseTimings: Sendable, Hashable, Codable {
    /// The engine began: the request was checked, a connection or a place for one was taken from the pool, and the body was
    /// opened. Zero where that is not measured.
    public var started = Duration.zero
    /// The host name was resolved.
    public var resolved: Duration
    /// The TCP connection was open.
    public var connected: Duration
    /// The tunnel through a proxy to the server was open (CONNECT or SOCKS), and the TLS handshake with the server about to
    /// begin. Zero without a tunnel, and where that is not measured: on a connection without TLS, by a libcurl that does not
    /// use OpenSSL, and by URLSession. The tunnel is then part of `secured`, without TLS of `ready`. Up to a proxy that
    /// speaks TLS itself, its handshake is part of the tunnel, for libcurl has one time for both.
    public var tunneled = Duration.zero
    /// The TLS handshake was done.
    public var secured: Duration
    /// The request was about to be sent.
    public var ready: Duration
    /// The last byte of the request's body was handed to the system. Zero where that is not measured: a body of up to
    /// 64 KiB goes out with the head.
    public var sent = Duration.zero
    /// The first byte of the response was there.
    public var firstByte: Duration
    /// The last byte of the response was there, and decoded.
    public var complete: Duration
    /// The response was checked and handed over, and the sink of its body finished: the exchange was over. Zero where that is
    /// not measured.
    public var finished = Duration.zero
    /// How long content decoding (gzip, deflate, br, zstd) took between the first byte and the last: a length of time, and no
    /// point in it. Zero where the body was not encoded, and where the engine decodes it unseen, as URLSession does.
    public var contentDecoding = Duration.zero

    /// Timings in which nothing took any time.
    public init() {
        self.init(resolved: .zero, connected: .zero, secured: .zero, ready: .zero, firstByte: .zero, complete: .zero)
    }

    @inlinable
    package init(
        resolved: Duration, connected: Duration, secured: Duration, ready: Duration, firstByte: Duration,
        complete: Duration
    ) {
        self.resolved = resolved
        self.connected = connected
        self.secured = secured
        self.ready = ready
        self.firstByte = firstByte
        self.complete = complete
    }
}

/// Time limits for a call and its parts. Fractions of a second count exactly; nil means no limit.
public struct Timeouts: Sendable, Hashable {
    /// From the start until a connection is usable: resolving, connecting and the TLS handshake. 10 seconds by default. Of
    /// calls over libcurl to one origin over TLS, awaited or in a batch, the first connects, and the others wait to share its
    /// connection; if that cannot be shared, is refused or breaks, their time begins anew.
    public var connect: Duration?
    /// Between two bytes, sent or received, once connected. 30 seconds by default. Where none was set, a stream of
    /// events that has begun has none: it may be silent. The time that the request's own source takes for its next bytes
    /// does not count, whether it blocks or is awaited; `total` limits an awaited one. A line of a head counts when it is whole.
    public var idle: Duration? {
        get { chosenIdle ?? Self.defaultIdle }
        set { chosenIdle = .some(newValue) }
    }
    /// The whole call with its redirects, retries and waits. By default 60 seconds if both bodies are in memory, and no
    /// limit if either is streamed from or to a file or a stream, or that of the response is discarded.
    public var total: Duration? {
        get { chosenTotal ?? Self.defaultTotal }
        set { chosenTotal = .some(newValue) }
    }

    private var chosenIdle: Duration??
    private var chosenTotal: Duration??

    /// The total that was set; nil if it has its default, or no limit.
    package var chosen: Duration? { chosenTotal ?? nil }

    /// Whether `idle` was set, even to nil or to the default.
    var hasChosenIdle: Bool { chosenIdle != nil }

    private static let defaultIdle = Duration.seconds(30)
    private static let defaultTotal = Duration.seconds(60)

    /// A limit for connecting; nil for none. The others have their defaults: 30 s between two bytes, and for the whole
    /// call 60 s if both bodies are in memory, no limit if one is streamed or discarded.
    public init(connect: Duration? = .seconds(10)) { self.connect = connect }

    /// The same with a limit between two bytes; nil for none.
    public init(connect: Duration? = .seconds(10), idle: Duration?) {
        self.connect = connect
        chosenIdle = .some(idle)
    }

    /// The same with a limit for the whole call, including redirects and retries; nil for none.
    public init(connect: Duration? = .seconds(10), total: Duration?) {
        self.connect = connect
        chosenTotal = .some(total)
    }

    /// Limits for connecting, between two bytes, and for the whole call; nil for none.
    public init(connect: Duration? = .seconds(10), idle: Duration?, total: Duration?) {
        self.connect = connect
        chosenIdle = .some(idle)
        chosenTotal = .some(total)
    }

    /// By the limits: one that was set to its default is the default. But a total that was set differs from none set,
    /// even at 60 s, because the default depends on the bodies.
    public static func == (lhs: Timeouts, rhs: Timeouts) -> Bool {
        lhs.connect == rhs.connect && lhs.idle == rhs.idle && lhs.chosenTotal == rhs.chosenTotal
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(connect)
        hasher.combine(idle)
        hasher.combine(chosenTotal)
    }

    /// The limits in force: the default total depends on the bodies.
    func forBodies(streamed isStreamed: Bool) -> Timeouts {
        var timeouts = self
        timeouts.total = chosenTotal ?? (isStreamed ? nil : Self.defaultTotal)
        return timeouts
    }
}

/// Time limits for a call and its parts. Fractions of a second count exactly; nil means no limit.
public struct Timeouts: Sendable, Hashable {
    /// From the start until a connection is usable: resolving, connecting and the TLS handshake. 10 seconds by default.
    public var connect: Duration?
    /// Between two bytes, sent or received, once connected. 30 seconds by default.
    public var idle: Duration?
    /// The whole call with its redirects, retries and waits. By default 60 seconds if both bodies are in memory, and no
    /// limit if either is streamed from or to a file or a stream.
    public var total: Duration? {
        get { chosenTotal ?? Self.defaultTotal }
        set { chosenTotal = .some(newValue) }
    }

    private var chosenTotal: Duration??

    /// The total that was set; nil if it has its default, or no limit.
    package var chosen: Duration? { chosenTotal ?? nil }

    private static let defaultTotal = Duration.seconds(60)

    /// Limits for connecting and between two bytes; nil for none. The total has its default: 60 s if both bodies are in
    /// memory, no limit if one is streamed.
    public init(connect: Duration? = .seconds(10), idle: Duration? = .seconds(30)) {
        self.connect = connect
        self.idle = idle
    }

    /// The same with a limit for the whole call, including redirects and retries; nil for none.
    public init(connect: Duration? = .seconds(10), idle: Duration? = .seconds(30), total: Duration?) {
        self.connect = connect
        self.idle = idle
        chosenTotal = .some(total)
    }

    /// The limits in force: the default total depends on the bodies.
    func forBodies(streamed isStreamed: Bool) -> Timeouts {
        var timeouts = self
        timeouts.total = chosenTotal ?? (isStreamed ? nil : Self.defaultTotal)
        return timeouts
    }
}

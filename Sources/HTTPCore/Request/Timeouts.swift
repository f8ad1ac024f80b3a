/// How long a call may take, in all and in its parts. Fractions of a second count exactly; nil means no limit.
public struct Timeouts: Sendable, Hashable {
    /// From the start until a connection is usable: resolving, connecting and the TLS handshake. 10 seconds.
    public var connect: Duration?
    /// Between two bytes, sent or received, once connected. 30 seconds.
    public var idle: Duration?
    /// The whole call with its redirects, retries and waits. 60 seconds where both bodies are in memory; for a call
    /// that sends from a file or a stream, or puts the answer into one, none unless it is set.
    public var total: Duration? {
        get { chosenTotal ?? Self.defaultTotal }
        set { chosenTotal = .some(newValue) }
    }

    private var chosenTotal: Duration??

    private static let defaultTotal = Duration.seconds(60)

    /// Limits to connect and between two bytes; nil for none. The whole call has 60 s where its bodies are in memory,
    /// and no limit where one is streamed.
    public init(connect: Duration? = .seconds(10), idle: Duration? = .seconds(30)) {
        self.connect = connect
        self.idle = idle
    }

    /// The same with a limit for the whole call, redirects and retries included; nil for none.
    public init(connect: Duration? = .seconds(10), idle: Duration? = .seconds(30), total: Duration?) {
        self.connect = connect
        self.idle = idle
        chosenTotal = .some(total)
    }

    /// With the limit that holds for the call's bodies where none was set.
    func forBodies(streamed isStreamed: Bool) -> Timeouts {
        var timeouts = self
        timeouts.total = chosenTotal ?? (isStreamed ? nil : Self.defaultTotal)
        return timeouts
    }
}

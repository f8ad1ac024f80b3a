/// How long a call may take, in all and in its parts. Fractions of a second count exactly; nil means no limit.
public struct Timeouts: Sendable, Hashable {
    /// From the start until a connection is usable: resolving, connecting and the TLS handshake. 10 seconds.
    public var connect: Duration?
    /// Between two bytes, sent or received, once connected. 30 seconds.
    public var idle: Duration?
    /// The whole call with its redirects, retries and waits. 60 seconds.
    public var total: Duration?

    public init(connect: Duration? = .seconds(10), idle: Duration? = .seconds(30), total: Duration? = .seconds(60)) {
        self.connect = connect
        self.idle = idle
        self.total = total
    }
}

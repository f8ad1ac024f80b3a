/// The limits of kept connections.
public struct PoolConfiguration: Sendable, Hashable {
    /// The maximum number per origin, 64 by default: that many threads can call one server repeatedly without new
    /// connections. With 0 an awaited call may still find the connection of the last one.
    public var idlePerOrigin: Int
    /// The maximum total number, 100 by default: for blocking calls, and again for each event loop, which awaited calls
    /// and batches use.
    public var idleInAll: Int
    /// How long an idle connection is kept, 60 seconds by default. It is closed by the next call of its kind after that time,
    /// blocking or awaited, and not by a clock: while there are no calls it stays open. Releasing the transport closes all.
    public var idleTime: Duration
    /// For how long after it was opened a connection is used again; nil, the default, for no limit. In whole seconds, at
    /// least one. A call that runs longer is not ended. With a limit, a program that runs for months notices that a name
    /// has got another address.
    public var lifetime: Duration?

    /// Limits of idle connections, with their defaults.
    public init(
        idlePerOrigin: Int = 64, idleInAll: Int = 100, idleTime: Duration = .seconds(60), lifetime: Duration? = nil
    ) {
        self.lifetime = lifetime
        self.idlePerOrigin = idlePerOrigin
        self.idleInAll = idleInAll
        self.idleTime = idleTime
    }
}

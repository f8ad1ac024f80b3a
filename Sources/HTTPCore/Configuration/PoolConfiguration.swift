/// The limits of idle connections.
public struct PoolConfiguration: Sendable, Hashable {
    /// The maximum number per origin, 64 by default: that many threads can call one server repeatedly without new
    /// connections.
    public var idlePerOrigin: Int
    /// The maximum total number, 100 by default.
    public var idleInAll: Int
    /// How long an idle connection is kept, 60 seconds by default.
    public var idleTime: Duration

    /// Limits of idle connections, with their defaults.
    public init(idlePerOrigin: Int = 64, idleInAll: Int = 100, idleTime: Duration = .seconds(60)) {
        self.idlePerOrigin = idlePerOrigin
        self.idleInAll = idleInAll
        self.idleTime = idleTime
    }
}

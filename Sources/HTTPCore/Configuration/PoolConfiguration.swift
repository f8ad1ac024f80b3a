/// How many unused connections a transport keeps, and how long.
public struct PoolConfiguration: Sendable, Hashable {
    /// For each origin, 64: as many threads can call one server again and again without opening a connection anew.
    public var idlePerOrigin: Int
    /// In all, 100.
    public var idleInAll: Int
    /// How long an unused connection is kept: 60 seconds.
    public var idleTime: Duration

    /// Limits of idle connections; what is left out has its default.
    public init(idlePerOrigin: Int = 64, idleInAll: Int = 100, idleTime: Duration = .seconds(60)) {
        self.idlePerOrigin = idlePerOrigin
        self.idleInAll = idleInAll
        self.idleTime = idleTime
    }
}

#if canImport(CLibcurl)

/// A multi handle and the transfers that take turns in it: what many calls on one thread run in.
///
/// It is used by one thread at a time; the pool hands it from one to the next, with its connections. Only `alarm` may be
/// touched by others meanwhile.
final class CurlHub: @unchecked Sendable {
    let alarm: CurlAlarm
    let multi: CurlMulti
    let log = CurlProgressLog()
    private let configuration: CurlConfiguration
    private var idle: LaneShelf<CurlTransfer.Key, CurlTransfer>
    private var keys: Set<CurlTransfer.Key> = []
    private var connectionLimit = 0
    /// How many connections were opened so far.
    var openedCount = 0
    /// The most connections it may keep while nothing uses them.
    private(set) var weight = 0

    init(_ configuration: CurlConfiguration) throws(Unsupported) {
        self.configuration = configuration
        multi = try CurlMulti()
        alarm = CurlAlarm(multi.waker)
        let pool = configuration.pool
        idle = LaneShelf(
            PoolConfiguration(idlePerOrigin: .max, idleInAll: max(64, pool.idleInAll), idleTime: .seconds(3600)))
    }

    /// A transfer for `key` that is not in use, or a new one.
    func transfer(for key: CurlTransfer.Key) throws(Unsupported) -> CurlTransfer {
        if let transfer = idle.take(key) { return transfer }
        let transfer = try CurlTransfer(key, configuration, isShared: true)
        transfer.exchange.pointee.log = log
        // Beyond that many they change nothing.
        if keys.count < configuration.pool.idleInAll { keys.insert(key) }
        return transfer
    }

    /// Takes back a transfer. What is too much goes.
    func keep(_ transfer: CurlTransfer, at now: ContinuousClock.Instant) {
        _ = idle.put(transfer, under: transfer.key, at: now)
    }

    /// Makes room for the connections of so many calls at once.
    func expect(calls: Int) { weight = min(configuration.pool.idleInAll, max(weight, calls)) }

    /// The most connections that may be idle.
    var idleLimit: Int {
        let (perOrigin, isAny) = configuration.pool.idlePerOrigin.multipliedReportingOverflow(by: max(1, keys.count))
        return max(1, min(weight, isAny ? .max : perOrigin))
    }

    /// Keeps a connection for each of the calls under way, and beyond that as many as may be idle.
    func limitConnections(active: Int) {
        let limit = max(active, idleLimit)
        guard limit != connectionLimit else { return }
        connectionLimit = limit
        multi.limitConnections(to: limit)
    }
}
#endif

/// The state that an event loop keeps between calls: idle transfers and idle connections.
final class CurlLoopConnections {
    private let configuration: CurlConfiguration
    private let headerLists: CurlHeaderLists
    private unowned let multi: CurlMulti
    private let log: CurlProgressLog
    // One thread at a time uses these; the compiler cannot check that.
    @exclusivity(unchecked) private var idle: [ConnectionKey: [CurlTransfer]] = [:]
    @exclusivity(unchecked) private var idleCount = 0
    @exclusivity(unchecked) private var keys: Set<ConnectionKey> = []
    @exclusivity(unchecked) private var limit = 0
    /// The number of connections opened by finished exchanges.
    @exclusivity(unchecked) var openedCount = 0
    /// The largest number of idle connections.
    @exclusivity(unchecked) private(set) var weight = 0

    init(
        _ configuration: CurlConfiguration, _ headerLists: CurlHeaderLists, _ multi: CurlMulti, _ log: CurlProgressLog
    ) {
        self.configuration = configuration
        self.headerLists = headerLists
        self.multi = multi
        self.log = log
    }

    // MARK: Transfers

    /// The largest number of transfers kept.
    var mostTransfers: Int { max(64, configuration.pool.idleInAll) }

    func transfer(for key: ConnectionKey) throws(Unsupported) -> CurlTransfer {
        if let transfer = idle[key]?.popLast() {
            idleCount -= 1
            return transfer
        }
        let transfer = try CurlTransfer(key, configuration, headerLists, isShared: true, in: multi)
        transfer.exchange.log = log
        // A larger number has no effect.
        if keys.count < configuration.pool.idleInAll { keys.insert(key) }
        // Also calls that never run at once keep a connection for each.
        expect(calls: keys.count)
        return transfer
    }

    /// Keeps a transfer, unless there are too many.
    func keep(_ transfer: CurlTransfer) {
        if idleCount >= mostTransfers { (idle, idleCount) = ([:], 0) }
        idle[transfer.key, default: []].append(transfer)
        idleCount += 1
    }

    // MARK: Connections

    /// Makes room for the connections of that many concurrent calls.
    func expect(calls: Int) { weight = min(configuration.pool.idleInAll, max(weight, calls)) }

    /// The largest number of idle connections.
    private var idleLimit: Int {
        let (perOrigin, isAny) = configuration.pool.idlePerOrigin.multipliedReportingOverflow(by: max(1, keys.count))
        return max(1, min(weight, isAny ? .max : perOrigin))
    }

    /// Keeps one connection for each of the calls that run at once, and the allowed idle ones. Surplus connections are
    /// closed one by one as others become idle, so the limit has to follow the number of calls: once all are idle it is
    /// too late.
    func limit(active: Int) {
        let limit = max(active, idleLimit)
        guard limit != self.limit else { return }
        self.limit = limit
        multi.limitConnections(to: limit)
    }

    /// Whether more connections are idle than allowed, when no call is running.
    var areTooMany: Bool { multi.connections.count > idleLimit }
}

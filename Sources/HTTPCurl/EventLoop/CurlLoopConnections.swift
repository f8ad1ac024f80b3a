import HTTPCore

/// What an event loop keeps between calls: transfers that are not in use, and as many connections as may be idle.
final class CurlLoopConnections {
    private let configuration: CurlConfiguration
    private let headerLists: CurlHeaderLists
    private unowned let multi: CurlMulti
    private let log: CurlProgressLog
    // One thread at a time has these, and the compiler cannot see that.
    @exclusivity(unchecked) private var idle: [ConnectionKey: [CurlTransfer]] = [:]
    @exclusivity(unchecked) private var idleCount = 0
    @exclusivity(unchecked) private var keys: Set<ConnectionKey> = []
    @exclusivity(unchecked) private var limit = 0
    /// How many connections were opened so far, by exchanges that are over.
    @exclusivity(unchecked) var openedCount = 0
    /// The most connections it may keep while nothing uses them.
    @exclusivity(unchecked) private(set) var weight = 0
    /// The most calls at once so far.
    @exclusivity(unchecked) private var width = 0

    init(
        _ configuration: CurlConfiguration, _ headerLists: CurlHeaderLists, _ multi: CurlMulti, _ log: CurlProgressLog
    ) {
        self.configuration = configuration
        self.headerLists = headerLists
        self.multi = multi
        self.log = log
    }

    // MARK: Transfers

    /// The most transfers that are kept.
    var mostTransfers: Int { max(64, configuration.pool.idleInAll) }

    /// A transfer for `key` that is not in use, or a new one.
    func transfer(for key: ConnectionKey) throws(Unsupported) -> CurlTransfer {
        if let transfer = idle[key]?.popLast() {
            idleCount -= 1
            return transfer
        }
        let transfer = try CurlTransfer(key, configuration, headerLists, isShared: true, in: multi)
        transfer.exchange.log = log
        // Beyond that many they change nothing.
        if keys.count < configuration.pool.idleInAll { keys.insert(key) }
        return transfer
    }

    /// Keeps a transfer, unless there are too many or it is spent.
    func keep(_ transfer: CurlTransfer) {
        guard !transfer.isSpent else { return }
        if idleCount >= mostTransfers { (idle, idleCount) = ([:], 0) }
        idle[transfer.key, default: []].append(transfer)
        idleCount += 1
    }

    // MARK: Connections

    /// Makes room for the connections of so many calls at once.
    func expect(calls: Int) { weight = min(configuration.pool.idleInAll, max(weight, calls)) }

    /// The most connections that may be idle.
    private var idleLimit: Int {
        let (perOrigin, isAny) = configuration.pool.idlePerOrigin.multipliedReportingOverflow(by: max(1, keys.count))
        return max(1, min(weight, isAny ? .max : perOrigin))
    }

    /// Keeps a connection for each of so many calls under way, and beyond that as many as may be idle. Towards the end of
    /// a batch `active` is 0, and they go one by one as they become idle: when all are idle it is too late.
    func limit(active: Int) {
        width = max(width, active)
        let limit = max(active, idleLimit)
        guard limit != self.limit else { return }
        self.limit = limit
        multi.limitConnections(to: limit)
    }

    /// Whether more are idle now than may be, where no call is under way. libcurl closes them only one at a time, when another
    /// comes back.
    var areTooMany: Bool { min(width, openedCount) > idleLimit }
}

#if canImport(CLibcurl)
import CLibcurl

/// A multi handle and the transfers that take turns in it: what many calls on one thread run in.
///
/// It is used by one thread at a time; the pool hands it from one to the next, with its connections. Only `alarm` may be
/// touched by others meanwhile.
final class CurlHub: @unchecked Sendable {
    let alarm: CurlAlarm
    let multi: CurlMulti
    let sockets: CurlSocketTable
    let log = CurlProgressLog()
    private let configuration: CurlConfiguration
    private let headerLists: CurlHeaderLists
    // Looked at for each call. That one thread at a time has it, need not be checked at run time.
    private var idle: LaneShelf<CurlTransfer.Key, CurlTransfer>
    @exclusivity(unchecked) private var keys: Set<CurlTransfer.Key> = []
    @exclusivity(unchecked) private var connectionLimit = 0
    /// How many connections were opened so far, by exchanges that are over.
    @exclusivity(unchecked) var openedCount = 0
    /// The most connections it may keep while nothing uses them.
    @exclusivity(unchecked) private(set) var weight = 0

    init(
        _ configuration: CurlConfiguration, _ headerLists: CurlHeaderLists, _ watch: FloodWatch? = nil,
        outlook: CurlOutlook? = nil
    ) throws(Unsupported) {
        self.outlook = outlook ?? CurlOutlook(isFixed: !CurlLibrary.shared.keepsNotesOfSockets)
        self.configuration = configuration
        self.headerLists = headerLists
        sockets = try CurlSocketTable()
        multi = try CurlMulti(listener: sockets, watch: watch)
        alarm = CurlAlarm(sockets.waker)
        let pool = configuration.pool
        idle = LaneShelf(
            PoolConfiguration(idlePerOrigin: .max, idleInAll: max(64, pool.idleInAll), idleTime: .seconds(3600)))
    }

    // MARK: Running

    @exclusivity(unchecked) private var outlook: CurlOutlook
    @exclusivity(unchecked) var patience = Patience()
    /// When all transfers are looked at next, where only those are that are ready.
    @exclusivity(unchecked) private var nextRound = TimePoint.now

    /// Whether to look at all transfers (`CurlMulti.perform`, `wait`), and not only at those that are ready (`runDue`,
    /// `runReady`).
    var looksAtAll: Bool { outlook.isWide }

    /// In a turn bytes of so many transfers moved, of those under way.
    func note(moved: Int, of active: Int) {
        let wasWide = outlook.isWide
        outlook.note(moved: moved, of: active)
        // What libcurl has told of sockets is outdated.
        if wasWide, !outlook.isWide { nextRound = .now }
    }

    /// Waits until there is something to do, somebody wakes it or the time has passed. `looks`: whether it may look for it
    /// first.
    func wait(milliseconds: Int32, from now: TimePoint, looks: Bool) {
        if looks, multi.timeout != 0,
            patience.look(from: now, whether: { multi.poll(milliseconds: 0, besides: sockets.waker) })
        {
            return
        }
        let isReady = multi.poll(milliseconds: milliseconds, besides: sockets.waker)
        if looks, isReady { patience.noteWaking(after: now.span(to: .now)) }
    }

    /// Looks for what comes next as `wait` may do, but does not sleep and is not woken. Whether `socket` is ready, or without
    /// one any that libcurl waits for.
    func look(at socket: curl_socket_t?, from start: TimePoint, unless isInterrupted: () -> Bool) -> Bool {
        guard multi.timeout != 0 else { return false }
        var isReady = false
        _ = patience.look(from: start) {
            isReady = socket.map(CurlSocketWatch.isReadable) ?? multi.poll(milliseconds: 0)
            return isReady || isInterrupted()
        }
        return isReady
    }

    /// Whether there is nothing in it to be seen to: no connection is on its way out.
    var isQuiet: Bool { sockets.count == 0 && multi.timeout == nil }

    /// Runs the transfers that are due, new ones among them. False when libcurl cannot go on.
    func runDue(at now: TimePoint) -> Bool {
        guard now >= nextRound else { return multi.act() != nil }
        // libcurl can lose a timer of its own: all are due once in a second.
        nextRound = now.advanced(by: .seconds(1))
        return multi.actOnAll() != nil
    }

    /// Waits as `wait` does, but no longer than until something is due, and runs the transfers whose sockets are ready.
    /// False when libcurl cannot go on.
    func runReady(within milliseconds: Int32, at now: TimePoint) -> Bool {
        let untilRound = Deadlines.pollMilliseconds(until: nextRound, at: now)
        let untilDue = multi.timeout.map { Int32(clamping: $0) } ?? .max
        sockets.wait(milliseconds: min(milliseconds, untilRound, untilDue))
        for event in sockets.events where sockets.waits(for: event.socket) {
            guard multi.act(on: event.socket, ready: event.readiness) != nil else { return false }
        }
        return true
    }

    // MARK: Transfers

    /// A transfer for `key` that is not in use, or a new one, for one of so many calls at once.
    func transfer(for key: CurlTransfer.Key, active: Int) throws(Unsupported) -> CurlTransfer {
        if let transfer = idle.take(key) { return transfer }
        let isFrugal = ReceiveBuffer.isCrowd(active)
        let transfer = try CurlTransfer(
            key, configuration, headerLists, isShared: true, isFrugal: isFrugal, in: multi)
        transfer.exchange.log = log
        // Beyond that many they change nothing.
        if keys.count < configuration.pool.idleInAll { keys.insert(key) }
        return transfer
    }

    /// Takes back a transfer. What is too much goes.
    func keep(_ transfer: CurlTransfer, at now: TimePoint) {
        guard isFit(transfer, active: 0) else { return }
        _ = idle.put(transfer, under: transfer.key, at: now)
    }

    /// Whether it may carry one of so many calls at once: what was made for a crowd goes with the crowd.
    func isFit(_ transfer: CurlTransfer, active: Int) -> Bool {
        ReceiveBuffer.isCrowd(active) || !transfer.isFrugal
    }

    // MARK: Connections

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

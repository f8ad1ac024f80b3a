#if canImport(CLibcurl)

/// The calls that are made for a dispatcher: an inbox, which any thread may fill, and the loop over it.
final class CurlFeed: CallFeed {
    private struct Desk {
        var inbox = FeedInbox<any FedCall, CurlFeedLoop>()
        /// That of the hub in use.
        var alarm: CurlAlarm?

        mutating func next(isOver: Bool) -> FeedInbox<any FedCall, CurlFeedLoop>.Turn {
            let turn = inbox.next(isOver: isOver)
            if case .end = turn { alarm = nil }
            return turn
        }
    }

    private let pool: CurlLanePool
    private let defaultVersion: VersionPolicy
    private let desk = Locked(Desk())

    init(_ pool: CurlLanePool, defaultVersion: VersionPolicy) {
        self.pool = pool
        self.defaultVersion = defaultVersion
    }

    // MARK: From any thread

    func submit(_ call: any FedCall, isAwaitedHere: Bool) -> Bool {
        let submission = desk.withLock { $0.inbox.submit(call) }
        guard case .begin(let loop, let mayLook) = submission else { return answer(submission) }
        let isBegun = loop.begin(call, defaultVersion: defaultVersion, mayLook: mayLook && isAwaitedHere) { hasCalls }
        guard isBegun else {
            return answer(desk.withLock { $0.inbox.putBack(loop, unbegun: call) })
        }
        // Others are told by the driver: their own code must not run in here.
        guard isAwaitedHere, let ending = loop.takeLast() else {
            putBack(loop, isBusy: true)
            return false
        }
        putBack(loop, isBusy: !loop.hub.isQuiet)
        ending.tell()
        return false
    }

    private func putBack(_ loop: CurlFeedLoop, isBusy: Bool) {
        if desk.withLock({ $0.inbox.putBack(loop, isBusy: isBusy) }) { wake() }
    }

    /// Whether a thread is needed.
    private func answer(_ submission: FeedInbox<any FedCall, CurlFeedLoop>.Submission) -> Bool {
        switch submission {
        case .needsThread: return true
        case .wake: wake()
        case .taken, .begin: break
        }
        return false
    }

    /// Wakes the driving thread. One that has ended since had nothing left to do, and one that has come in its place is woken
    /// for nothing.
    private func wake() { desk.withLock { $0.alarm }?.waker.wake() }

    func noteCancellation() { desk.withLock { $0.alarm }?.ring() }

    func refuseThread() -> [any FedCall] { desk.withLock { $0.inbox.refuseDriver() } }

    /// Has the driving thread end as soon as it has nothing to do.
    func close() {
        if desk.withLock({ $0.inbox.close() }) { wake() }
    }

    // MARK: On the driving thread

    func drive(idleTime: Duration) {
        do throws(Unsupported) {
            while try makeCalls(idleTime) {}
        } catch {
            for call in refuseThread() { call.finish(.failure(HTTPError(error, sending: call.request))) }
        }
    }

    /// Makes calls in one hub. False when there were none for so long; true when another hub has to go on.
    private func makeCalls(_ idleTime: Duration) throws(Unsupported) -> Bool {
        let hub = try pool.checkOutHub(at: .now)
        desk.withLock { $0.alarm = hub.alarm }
        let loop = CurlFeedLoop(self, in: hub)
        var patience = Patience()
        // A TLS connection that the server has closed must not end the process.
        return BrokenPipeGuard.around {
            while makeCalls(in: loop) {
                guard !goesOn(within: idleTime, hub.alarm, &patience) else { continue }
                loop.close()
                pool.checkIn(hub)
                return false
            }
            return true
        }
    }

    /// Makes calls until none is left, and parks the loop. False if that is of no use any more, and is not parked.
    ///
    /// When it returns it holds no call, and with that no client.
    private func makeCalls(in loop: CurlFeedLoop) -> Bool {
        var last = loop.makeCalls()
        defer { last.take()?.tell() }
        // Many calls at once have ended. Their connections are closed with the hub, which has no other way.
        guard !loop.hasTooManyConnections else { return false }
        if !loop.hub.isQuiet {
            last.take()?.tell()
            waitForQuiet(in: loop.hub)
        }
        // Before the last call is told: who is told may hand in the next at once, and begin it.
        desk.withLock { $0.inbox.park(loop) }
        return true
    }

    /// Sees to connections that are being closed in good order, unless there is something else to do.
    private func waitForQuiet(in hub: CurlHub) {
        while !hub.isQuiet, desk.withLock({ !$0.inbox.isClosed && $0.inbox.maySleep() }) {
            _ = hub.runReady(within: 1000, at: .now)
            _ = hub.runDue(at: .now)
        }
    }

    /// Waits until there is something to do. False when there was nothing for so long: then nobody drives it any more.
    private func goesOn(within time: Duration, _ alarm: CurlAlarm, _ patience: inout Patience) -> Bool {
        let start = TimePoint.now
        var end = start + time
        var hasSlept = false
        _ = patience.look(from: start) { desk.withLock { $0.inbox.needsDriver } }
        while true {
            let now = TimePoint.now
            switch desk.withLock({ $0.next(isOver: now >= end) }) {
            case .go:
                if hasSlept { patience.noteWaking(after: start.span(to: now)) }
                return true
            case .end: return false
            case .sleep(let anew):
                if anew { end = now + time }
                sleep(milliseconds: Deadlines.pollMilliseconds(until: end, at: now), unless: alarm)
                hasSlept = true
            }
        }
    }

    /// Wakes once in a second where connections may be closing: nobody is told of all of them.
    private func sleep(milliseconds: Int32, unless alarm: CurlAlarm) {
        guard CurlLibrary.shared.closesInGoodOrder else {
            _ = alarm.waker.wait(milliseconds: milliseconds)
            return
        }
        guard !alarm.waker.wait(milliseconds: min(milliseconds, 1000)),
            let loop = desk.withLock({ $0.inbox.lendToDriver() })
        else { return }
        _ = loop.hub.runDue(at: .now)
        putBack(loop, isBusy: !loop.hub.isQuiet)
    }

    var hasCalls: Bool { desk.withLock { $0.inbox.hasCalls } }

    func take(into calls: inout [any FedCall]) { desk.withLock { $0.inbox.take(into: &calls) } }

    /// Notes that the thread is going to sleep; false if a call has come.
    func mayWait() -> Bool { desk.withLock { $0.inbox.maySleep() } }

    func call(_ call: any FedCall) -> CurlCall {
        CurlCall(
            call.request, CallTimes(start: .now, deadline: call.deadline), defaultVersion: defaultVersion)
    }
}
#endif

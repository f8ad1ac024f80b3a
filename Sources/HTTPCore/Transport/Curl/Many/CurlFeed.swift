#if canImport(CLibcurl)

/// The calls that are made for a dispatcher: an inbox, which any thread may fill, and the loop over it.
final class CurlFeed: CallFeed {
    private struct Inbox {
        var arrivals: [any FedCall] = []
        /// Whether a thread drives it, or was asked for.
        var isDriven = false
        /// Whether that thread sleeps and has to be woken.
        var isAsleep = false
        /// Whether nobody can hand in another call.
        var isClosed = false
        /// That of the hub in use.
        var alarm: CurlAlarm?
    }

    private let pool: CurlLanePool
    private let defaultVersion: VersionPolicy
    private let inbox = Locked(Inbox())

    init(_ pool: CurlLanePool, defaultVersion: VersionPolicy) {
        self.pool = pool
        self.defaultVersion = defaultVersion
    }

    // MARK: From any thread

    func submit(_ call: any FedCall) -> Bool {
        let (needsThread, sleeper) = inbox.withLock { inbox -> (Bool, CurlAlarm?) in
            inbox.arrivals.append(call)
            guard inbox.isDriven else {
                inbox.isDriven = true
                return (true, nil)
            }
            guard inbox.isAsleep else { return (false, nil) }
            inbox.isAsleep = false
            return (false, inbox.alarm)
        }
        sleeper?.waker.wake()
        return needsThread
    }

    func noteCancellation() { inbox.withLock { $0.alarm }?.ring() }

    func refuseThread() -> [any FedCall] {
        inbox.withLock { inbox in
            inbox.isDriven = false
            defer { inbox.arrivals = [] }
            return inbox.arrivals
        }
    }

    /// Has the driving thread end as soon as it has nothing to do.
    func close() {
        let alarm = inbox.withLock { inbox in
            inbox.isClosed = true
            return inbox.alarm
        }
        alarm?.waker.wake()
    }

    // MARK: On the driving thread

    func drive(idleTime: Duration) {
        do throws(Unsupported) {
            while try makeCalls(idleTime) {}
        } catch {
            for call in refuseThread() { call.finish(.failure(.unsupported(error))) }
        }
    }

    /// Makes calls in one hub. False when there were none for so long; true when another hub has to go on.
    private func makeCalls(_ idleTime: Duration) throws(Unsupported) -> Bool {
        let hub = try pool.checkOutHub(at: .now)
        hub.expect(calls: .max)
        inbox.withLock { $0.alarm = hub.alarm }
        var loop = CurlLoop(CurlFedCalls(self), in: hub, limit: .max)
        var patience = Patience()
        // A TLS connection that the server has closed must not end the process.
        return BrokenPipeGuard.around {
            while true {
                while loop.fill() { loop.turn() }
                // Many calls at once have ended. Their connections are closed with the hub, which has no other way.
                if min(loop.width, hub.openedCount) > hub.idleLimit { return true }
                if hasCall(within: idleTime, in: hub, &patience) { continue }
                loop.close()
                pool.checkIn(hub)
                return false
            }
        }
    }

    /// Waits until there is a call to make. False when none came for so long: then nobody drives it any more.
    private func hasCall(within time: Duration, in hub: CurlHub, _ patience: inout Patience) -> Bool {
        let start = TimePoint.now
        if patience.look(from: start, whether: { !isEmpty }) { return true }
        let end = start + time
        var hasSlept = false
        while true {
            let now = TimePoint.now
            // A connection that is being closed in good order may have woken us, and must be seen to.
            if hasSlept, isEmpty { _ = hub.runDue(at: now) }
            let goesOn = inbox.withLock { inbox -> Bool? in
                guard inbox.arrivals.isEmpty else { return true }
                inbox.isAsleep = !inbox.isClosed && now < end
                if inbox.isAsleep { return nil }
                inbox.isDriven = false
                inbox.alarm = nil
                return false
            }
            if let goesOn {
                if goesOn, hasSlept { patience.noteWaking(after: start.duration(to: now)) }
                return goesOn
            }
            _ = hub.runReady(within: Deadlines.pollMilliseconds(until: end, at: now), at: now)
            hasSlept = true
        }
    }

    private var isEmpty: Bool { inbox.withLock { $0.arrivals.isEmpty } }

    fileprivate func take(into calls: inout [any FedCall]) {
        inbox.withLock { inbox in
            inbox.isAsleep = false
            swap(&inbox.arrivals, &calls)
        }
    }

    /// Notes that the thread is going to sleep; false if a call has come.
    fileprivate func mayWait() -> Bool {
        inbox.withLock { inbox in
            inbox.isAsleep = inbox.arrivals.isEmpty
            return inbox.isAsleep
        }
    }

    fileprivate func call(_ call: any FedCall) -> CurlCall {
        CurlCall(
            call.request, CallTimes(start: .now, deadline: call.deadline), defaultVersion: defaultVersion)
    }
}

/// What is in the inbox, as a loop takes it.
struct CurlFedCalls: CurlCallSource {
    private let feed: CurlFeed
    /// Those that were taken out of the inbox together.
    private var taken: [any FedCall] = []
    private var position = 0
    var isExhausted: Bool { false }

    init(_ feed: CurlFeed) { self.feed = feed }

    mutating func next() -> (any FedCall)? {
        if position == taken.count {
            taken.removeAll(keepingCapacity: true)
            position = 0
            feed.take(into: &taken)
            if taken.isEmpty { return nil }
        }
        defer { position += 1 }
        return taken[position]
    }

    func call(for item: any FedCall) -> CurlCall { feed.call(item) }

    func isCancelled(_ item: any FedCall) -> Bool { item.isCancelled }

    func deliver(_ result: consuming Result<Response, HTTPError>, of item: any FedCall) { item.finish(result) }

    func mayWait() -> Bool { feed.mayWait() }
}
#endif

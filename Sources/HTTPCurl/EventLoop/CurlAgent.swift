import HTTPCore

/// Makes the calls that are handed in from any thread, on one that somebody lends it, in one event loop.
final class CurlAgent: CallFeed {
    private enum Driver { case absent, awake, asleep }

    private struct Desk {
        var arrivals: [any SubmittedCall] = []
        var driver = Driver.absent
        /// The one in use.
        var loop: CurlEventLoop?
        /// Whether nobody can hand in another call.
        var isClosed = false
    }

    private let pool: CurlConnectionPool
    private let defaultVersion: VersionPolicy
    private let desk = Locked(Desk())

    init(_ pool: CurlConnectionPool, defaultVersion: VersionPolicy) {
        self.pool = pool
        self.defaultVersion = defaultVersion
    }

    // MARK: From any thread

    func submit(_ call: any SubmittedCall) -> Bool {
        let (driver, loop) = desk.withLock { desk in
            desk.arrivals.append(call)
            defer { desk.driver = .awake }
            return (desk.driver, desk.loop)
        }
        // One that has ended since had nothing left to do, and one that has come in its place is woken for nothing.
        if driver == .asleep { loop?.wake() }
        return driver == .absent
    }

    func noteCancellation() { desk.withLock { $0.loop }?.noteCancellation() }

    func refuseThread() -> [any SubmittedCall] {
        desk.withLock { desk in
            desk.driver = .absent
            defer { desk.arrivals = [] }
            return desk.arrivals
        }
    }

    /// Has the driving thread end as soon as it has nothing to do.
    func close() {
        let loop = desk.withLock { desk in
            desk.isClosed = true
            return desk.loop
        }
        loop?.wake()
    }

    // MARK: On the driving thread

    func drive(idleTime: Duration) {
        do throws(Unsupported) {
            while try makeCalls(idleTime) {}
        } catch {
            for call in refuseThread() { call.finish(.failure(HTTPError(error, sending: call.request))) }
        }
    }

    /// Makes calls in one loop. False when there were none for so long; true when another loop has to go on.
    private func makeCalls(_ idleTime: Duration) throws(Unsupported) -> Bool {
        let loop = try pool.checkOutLoop(at: .now)
        loop.connections.expect(calls: .max)
        desk.withLock { $0.loop = loop }
        // A TLS connection that the server has closed must not end the process.
        let isOver = BrokenPipeGuard.around { makeCalls(in: loop, idleTime) }
        guard isOver else { return true }
        loop.rest()
        pool.checkIn(loop)
        return false
    }

    /// Until none has come for so long, or, which returns false, more connections are left than may be: they go with the
    /// loop, which has no other way.
    private func makeCalls(in loop: CurlEventLoop, _ idleTime: Duration) -> Bool {
        var calls: [any SubmittedCall] = []
        var end = TimePoint.now + idleTime
        while take(into: &calls, orEnd: loop.active == 0, by: end) {
            for call in calls { start(call, in: loop) }
            calls.removeAll(keepingCapacity: true)
            let wasActive = loop.active > 0
            loop.connections.limit(active: loop.active)
            var time = loop.runDue()
            let isIdle = loop.active == 0
            if isIdle { time = min(time, Deadlines.pollMilliseconds(until: end, at: .now)) }
            loop.runReady(within: time > 0 && maySleep(isIdle: isIdle) ? time : 0)
            guard wasActive, loop.active == 0 else { continue }
            if loop.connections.areTooMany { return false }
            end = .now + idleTime
        }
        return true
    }

    private func start(_ call: any SubmittedCall, in loop: CurlEventLoop) {
        let times = CallTiming(start: .now, deadline: call.deadline)
        loop.start(CurlCall(call.request, times, defaultVersion: defaultVersion), for: call)
    }

    /// Takes what was handed in. False when it is time to end.
    private func take(into calls: inout [any SubmittedCall], orEnd isIdle: Bool, by end: TimePoint) -> Bool {
        let isOver = isIdle && TimePoint.now >= end
        return desk.withLock { desk in
            desk.driver = .awake
            if desk.arrivals.isEmpty, isOver || (isIdle && desk.isClosed) {
                desk.driver = .absent
                desk.loop = nil
                return false
            }
            swap(&desk.arrivals, &calls)
            return true
        }
    }

    /// Notes that the thread is going to sleep; false if a call has come.
    private func maySleep(isIdle: Bool) -> Bool {
        desk.withLock { desk in
            guard desk.arrivals.isEmpty, !(isIdle && desk.isClosed) else { return false }
            desk.driver = .asleep
            return true
        }
    }
}

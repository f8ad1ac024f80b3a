import HTTPCore
import HTTPEngine
import HTTPSupport

/// Makes calls submitted by any thread, in one event loop on a borrowed thread.
final class CurlAgent: CallAgent {
    private enum Driver { case absent, awake, asleep }

    private struct State {
        var arrivals: [any SubmittedCall] = []
        var driver = Driver.absent
        /// The current loop.
        var loop: CurlEventLoop?
        /// Whether no further call can be submitted.
        var isClosed = false
    }

    private let pool: CurlConnectionPool
    private let defaultVersion: VersionPolicy
    private let state = Locked(State())

    init(_ pool: CurlConnectionPool, defaultVersion: VersionPolicy) {
        self.pool = pool
        self.defaultVersion = defaultVersion
    }

    // MARK: From any thread

    func submit(_ call: any SubmittedCall) -> Bool {
        let (driver, loop) = state.withLock { state in
            state.arrivals.append(call)
            defer { state.driver = .awake }
            return (state.driver, state.loop)
        }
        // A loop that has ended had nothing left to do; waking its successor needlessly is harmless.
        if driver == .asleep { loop?.wake() }
        return driver == .absent
    }

    func noteCancellation() { state.withLock { $0.loop }?.noteCancellation() }

    func refuseThread() -> [any SubmittedCall] {
        state.withLock { state in
            state.driver = .absent
            defer { state.arrivals = [] }
            return state.arrivals
        }
    }

    /// Makes the driving thread end as soon as it is idle.
    func close() {
        let loop = state.withLock { state in
            state.isClosed = true
            return state.loop
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

    /// Makes calls in one loop. False when it was idle long enough; true when another loop must continue.
    private func makeCalls(_ idleTime: Duration) throws(Unsupported) -> Bool {
        let loop = try pool.checkOutLoop(at: .now)
        loop.connections.expect(calls: .max)
        state.withLock { $0.loop = loop }
        // A TLS connection closed by the server must not end the process.
        let isOver = BrokenPipeGuard.around { makeCalls(in: loop, idleTime) }
        guard isOver else { return true }
        loop.rest()
        pool.checkIn(loop)
        return false
    }

    /// Runs until it was idle long enough. Returns false if more connections are left than allowed: they can only be
    /// closed with the loop.
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

    /// Takes submitted calls. False when it is time to end.
    private func take(into calls: inout [any SubmittedCall], orEnd isIdle: Bool, by end: TimePoint) -> Bool {
        let isOver = isIdle && TimePoint.now >= end
        return state.withLock { state in
            state.driver = .awake
            if state.arrivals.isEmpty, isOver || (isIdle && state.isClosed) {
                state.driver = .absent
                state.loop = nil
                return false
            }
            swap(&state.arrivals, &calls)
            return true
        }
    }

    /// Marks the thread as about to sleep; false if a call has arrived.
    private func maySleep(isIdle: Bool) -> Bool {
        state.withLock { state in
            guard state.arrivals.isEmpty, !(isIdle && state.isClosed) else { return false }
            state.driver = .asleep
            return true
        }
    }
}

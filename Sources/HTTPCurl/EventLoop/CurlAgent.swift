import HTTPSupport
import Synchronization

/// Makes calls submitted by any thread, in one event loop on a borrowed thread, which also runs parts of tasks: those that
/// prefer it as their executor.
final class CurlAgent: CallAgent {
    private enum Driver { case absent, awake, asleep }

    private struct State {
        var arrivals: [any SubmittedCall] = []
        var parts: [TaskPart] = []
        var timers = TimerHeap<any Alarm>()
        /// With more of them, those that nobody waits for any more are removed.
        var mostTimers = 64
        var driver = Driver.absent
        /// The current loop.
        var loop: CurlEventLoop?
        /// Whether the loop had nothing to do when the driving thread last looked.
        var isIdle = false
        /// Whether no further call can be submitted.
        var isClosed = false
        /// Fired when an idle loop has ended, which they make it do, or when it is not idle.
        var leaves: [Signal] = []

        /// Whether nothing has come, and nothing waits for its time.
        var hasNothing: Bool {
            arrivals.isEmpty && parts.isEmpty && !timers.contains { $0.subject.isPending }
        }
    }

    /// What the driving thread has taken.
    private struct Turn {
        var calls: [any SubmittedCall] = []
        var parts: [TaskPart] = []
        /// The number of parts that have run.
        var ranCount = 0
        var alarms: [any Alarm] = []
        /// Those that wait for the end of a loop that is not idle.
        var leaves: [Signal] = []

        var hasParts: Bool { ranCount < parts.count }

        mutating func dropPartsThatRan() {
            guard !hasParts else { return }
            parts.removeAll(keepingCapacity: true)
            ranCount = 0
        }
    }

    /// The largest number of parts of tasks in a turn of the loop: between turns, calls go on and deadlines are kept.
    private static let partLimit = 64

    private let pool: CurlConnectionPool
    private let defaultVersion: VersionPolicy
    private let state = Locked(State())
    private let loadHint = Atomic(0)

    init(_ pool: CurlConnectionPool, defaultVersion: VersionPolicy) {
        self.pool = pool
        self.defaultVersion = defaultVersion
        pool.noteAgent { [weak self] in self?.leaveIdleLoop() }
    }

    // MARK: From any thread

    func submit(_ call: any SubmittedCall) -> Bool { submit { $0.arrivals.append(call) } }

    func submit(_ part: TaskPart) -> Bool {
        loadHint.wrappingAdd(1, ordering: .relaxed)
        return submit { $0.parts.append(part) }
    }

    var load: Int { loadHint.load(ordering: .relaxed) }

    private func submit(_ add: (inout State) -> Void) -> Bool {
        let (driver, loop) = state.withLock { state in
            add(&state)
            defer { state.driver = .awake }
            return (state.driver, state.loop)
        }
        // A loop that has ended had nothing left to do; waking its successor needlessly is harmless. The driving thread
        // itself has been woken by a socket.
        if driver == .asleep, ThreadRole.agent !== self { loop?.wake() }
        return driver == .absent
    }

    func noteCancellation() { state.withLock { $0.loop }?.noteCancellation() }

    func refuseThread() -> [any SubmittedCall] {
        let (calls, hasParts) = state.withLock { state in
            guard state.parts.isEmpty else { return ([any SubmittedCall](), true) }
            state.driver = .absent
            defer { state.arrivals = [] }
            return (state.arrivals, false)
        }
        // Parts of tasks cannot fail, so this thread runs them, and makes the calls.
        if hasParts { drive(idleTime: .zero) }
        return calls
    }

    /// Makes the driving thread end as soon as it is idle.
    func close() {
        let loop = state.withLock { state in
            state.isClosed = true
            return state.loop
        }
        loop?.wake()
    }

    /// Ends an idle loop, so that the pool has its connections and may close them. The thread of another loop waits only
    /// for one that is idle now: two that are busy would wait for each other.
    private func leaveIdleLoop() {
        guard ThreadRole.agent !== self else { return }
        let mayBeBusy = ThreadRole.agent == nil
        let left = Signal()
        let (loop, isAsleep) = state.withLock { state -> (CurlEventLoop?, Bool) in
            guard state.loop != nil, state.hasNothing, mayBeBusy || state.isIdle else { return (nil, false) }
            state.leaves.append(left)
            return (state.loop, state.driver == .asleep)
        }
        guard let loop else { return }
        loop.wake()
        // Not for long: a part of a task may keep its thread. One that sleeps for sockets runs as soon as there is a processor.
        _ = left.wait(until: .now + .milliseconds(isAsleep ? 1000 : 100))
    }

    func belongs(to owner: AnyObject) -> Bool { owner === pool }

    /// Whether the thread of this agent drives `loop`.
    func isDriving(_ loop: CurlEventLoop) -> Bool { state.withLock { $0.loop === loop } }

    // MARK: On the driving thread

    func set(_ alarm: any Alarm, for instant: TimePoint) {
        // Released outside of the lock, as in `take`.
        let removed = state.withLock { state -> [TimerHeap<any Alarm>.Timer] in
            state.timers.insert(TimerHeap.Timer(instant: instant, alarm))
            guard state.timers.count > state.mostTimers else { return [] }
            defer { state.mostTimers = 64 + 2 * state.timers.count }
            return state.timers.keep { $0.subject.isPending }
        }
        withExtendedLifetime(removed) {}
    }

    func drive(idleTime: Duration) {
        ThreadRole.run(as: self) {
            PoolThreadReport.onLoopThread {
                let generation = ProcessGeneration.current
                var isOver = false
                while !isOver {
                    do throws(Unsupported) {
                        while try makeCalls(idleTime) {}
                        isOver = true
                    } catch { isOver = end(without: error) }
                }
                if ProcessGeneration.isCurrent(generation) { reportLeftLoop() }
            }
        }
    }

    /// Called when nothing here refers to the loop any more, so that whoever waits can close it.
    private func reportLeftLoop() {
        let leaves = state.withLock { state in
            defer { state.leaves = [] }
            return state.leaves
        }
        for left in leaves { left.fire() }
    }

    /// There can be no loop: calls fail, and tasks, which cannot, go on. True when nothing is left to do; false when
    /// there may be a loop by now. Timers keep their time.
    private func end(without loop: Unsupported) -> Bool {
        while true {
            let (calls, parts, alarms, next) = state.withLock { state in
                var alarms: [any Alarm] = []
                while let timer = state.timers.popDue(at: .now) { alarms.append(timer.subject) }
                defer { (state.arrivals, state.parts) = ([], []) }
                let next = state.timers.earliest
                if state.arrivals.isEmpty, state.parts.isEmpty, alarms.isEmpty, next == nil {
                    (state.driver, state.loop) = (.absent, nil)
                }
                return (state.arrivals, state.parts, alarms, next)
            }
            if calls.isEmpty, parts.isEmpty, alarms.isEmpty {
                guard let next else { return true }
                _ = Signal().wait(until: min(next, .now + .milliseconds(50)))
                return false
            }
            for call in calls { call.finish(.failure(HTTPError(loop, sending: call.request))) }
            for part in parts { part.run() }
            for alarm in alarms { alarm.fire() }
        }
    }

    /// Makes calls in one loop. False when it was idle long enough; true when another loop must continue.
    private func makeCalls(_ idleTime: Duration) throws(Unsupported) -> Bool {
        let loop = try pool.checkOutLoop(at: .now)
        loop.connections.expect(calls: .max)
        state.withLock { $0.loop = loop }
        // A TLS connection closed by the server must not end the process.
        let isOver = CurlLibrary.shared.guardingBrokenPipe { makeCalls(in: loop, idleTime) }
        guard isOver else {
            // Taken out of the lock, because it closes its connections when it is released.
            let last = state.withLock { $0.loop.take() }
            withExtendedLifetime(last) {}
            return true
        }
        loop.rest()
        pool.checkIn(loop)
        return false
    }

    /// Runs until it was idle long enough. Returns false if more connections are left than allowed: they can only be
    /// closed with the loop.
    private func makeCalls(in loop: CurlEventLoop, _ idleTime: Duration) -> Bool {
        var turn = Turn()
        var end = TimePoint.now + idleTime
        while take(into: &turn, orEnd: loop.active == 0, by: end) {
            if !turn.leaves.isEmpty {
                for leave in turn.leaves { leave.fire() }
                turn.leaves = []
            }
            run(&turn, in: loop)
            // A part of a task has forked this process.
            if loop.multi.isOfAncestor { return true }
            for call in turn.calls { start(call, in: loop) }
            turn.calls.removeAll(keepingCapacity: true)
            let wasActive = loop.active > 0
            loop.connections.limit(active: loop.active)
            var time = loop.runDue()
            let isIdle = loop.active == 0
            loadHint.store(loop.active + turn.parts.count - turn.ranCount, ordering: .relaxed)
            if isIdle {
                let now = TimePoint.now
                // From then on only a timer keeps the thread.
                if now < end { time = min(time, Deadlines.pollMilliseconds(until: end, at: now)) }
            }
            loop.runReady(within: time > 0 && !turn.hasParts ? sleep(atMost: time, orEndAt: isIdle ? end : nil) : 0)
            guard wasActive, loop.active == 0 else { continue }
            if loop.connections.areTooMany {
                // The parts that have not run yet are for the next loop.
                state.withLock { $0.parts = turn.parts[turn.ranCount...] + $0.parts }
                return false
            }
            end = .now + idleTime
        }
        return true
    }

    private func start(_ call: any SubmittedCall, in loop: CurlEventLoop) {
        let next = CurlCall(call.request, from: .now, by: call.deadline, defaultVersion: defaultVersion)
        loop.start(next, for: call)
    }

    /// Fires what is due, runs parts of tasks, and takes the calls that these have submitted.
    private func run(_ turn: inout Turn, in loop: CurlEventLoop) {
        guard !turn.alarms.isEmpty || turn.hasParts else { return }
        let start = TimePoint.now
        for alarm in turn.alarms { alarm.fire() }
        turn.alarms.removeAll()
        let end = min(turn.parts.count, turn.ranCount + Self.partLimit)
        while turn.ranCount < end {
            turn.parts[turn.ranCount].run()
            turn.ranCount += 1
            // It has forked this process, and the rest belongs to the parent, as do the locks.
            if loop.multi.isOfAncestor { return }
        }
        // They refer to their executor, and with it to the transport, which would not be released while the loop sleeps.
        turn.dropPartsThatRan()
        let time = start.span(to: .now).nanoseconds
        // Less than that is the cost of every call.
        if time > 1_000_000, loop.active > 0 {
            loop.tasksTime = TimeSpan(nanoseconds: loop.tasksTime.nanoseconds + time)
        }
        state.withLock { state in
            turn.calls += state.arrivals
            state.arrivals.removeAll(keepingCapacity: true)
        }
    }

    /// Takes what has come. False when it is time to end.
    private func take(into turn: inout Turn, orEnd isIdle: Bool, by end: TimePoint) -> Bool {
        // The last timer may be the last to hold the transport, whose end closes this agent: it goes outside of the lock.
        var timers = TimerHeap<any Alarm>()
        defer { withExtendedLifetime(timers) {} }
        return state.withLock { state in
            state.driver = .awake
            if isIdle, !turn.hasParts, state.hasNothing, state.isClosed || !state.leaves.isEmpty || end <= .now {
                state.driver = .absent
                state.loop = nil
                swap(&state.timers, &timers)
                return false
            }
            if !state.leaves.isEmpty { swap(&state.leaves, &turn.leaves) }
            swap(&state.arrivals, &turn.calls)
            if turn.parts.isEmpty { swap(&state.parts, &turn.parts) }
            if state.timers.count > 0 {
                let now = TimePoint.now
                while let timer = state.timers.popDue(at: now) { turn.alarms.append(timer.subject) }
            }
            state.isIdle = isIdle && turn.calls.isEmpty && !turn.hasParts && turn.alarms.isEmpty
            return true
        }
    }

    /// Marks the thread as about to sleep. Returns for how many milliseconds it may: none if something has arrived, and
    /// until the next timer otherwise. An idle loop ends at `end`.
    private func sleep(atMost time: Int32, orEndAt end: TimePoint?) -> Int32 {
        state.withLock { state in
            guard state.arrivals.isEmpty, state.parts.isEmpty else { return 0 }
            if let end, state.isClosed || end <= .now, state.hasNothing { return 0 }
            state.driver = .asleep
            guard let next = state.timers.earliest else { return time }
            return min(time, Deadlines.pollMilliseconds(until: next, at: .now))
        }
    }
}

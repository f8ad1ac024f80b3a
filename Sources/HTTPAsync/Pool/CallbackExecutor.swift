import HTTPSupport

/// Threads that run the caller's code for a thread that must not be blocked by it.
///
/// Callbacks run in order, one at a time. One that takes long does not delay the next: while callbacks wait, another
/// thread watches the one that is running, and after `watchTime` takes over. That time is halved while callbacks are
/// slow, so that many that block begin soon. Work that need not be in order never waits for others, except for that on a
/// disk, which has 8 threads at most.
///
/// A thread that becomes free takes the next callback, so a thousand short callbacks do not start a thousand threads.
final class CallbackExecutor: Sendable {
    typealias Callback = @Sendable () -> Void

    /// What a thread does next.
    private enum Turn {
        case run(Callback, Kind)
        case watch(turn: Int, Duration)
        case sleep
    }

    private enum Kind {
        case inOrder(turn: Int)
        case work
        case onDisk
    }

    /// The number of threads that work on a disk at once: more of them would only wait for each other.
    static let diskThreads = 8

    private struct State {
        /// In order.
        var waiting = Queue<Callback>()
        /// In any order.
        var works = Queue<Callback>()
        /// In order of submission, at most `diskThreads` at once.
        var diskWorks = Queue<Callback>()
        private var onDisk = 0
        var members = 0
        var sleeping = 0
        /// The number of sleeping threads that were woken to end.
        var leaving = 0
        /// Whether threads end as soon as they have nothing to do.
        var isReleased = false
        /// Whether a thread was started or woken and has not arrived.
        var isOneComing = false
        /// The number of the callback whose turn it is, until it returns or a watcher takes over.
        private var turn: Int?
        private var lastTurn = 0
        private var isWatched = false
        private let longest: Duration
        private var watchTime: Duration

        init(watchTime: Duration) { (longest, self.watchTime) = (watchTime, watchTime) }

        mutating func next() -> Turn {
            if turn == nil, let callback = waiting.popFirst() {
                lastTurn += 1
                turn = lastTurn
                return .run(callback, .inOrder(turn: lastTurn))
            }
            if let work = works.popFirst() { return .run(work, .work) }
            if onDisk < CallbackExecutor.diskThreads, let work = diskWorks.popFirst() {
                onDisk += 1
                return .run(work, .onDisk)
            }
            guard let turn, !waiting.isEmpty, !isWatched else { return .sleep }
            isWatched = true
            return .watch(turn: turn, watchTime)
        }

        /// A callback or work has returned.
        mutating func end(_ kind: Kind) {
            switch kind {
            case .inOrder(turn: turn):
                turn = nil
                watchTime = longest
            case .inOrder, .work: break
            case .onDisk: onDisk -= 1
            }
        }

        /// A watcher has slept for `watchTime`.
        mutating func takeOver(from watched: Int) {
            isWatched = false
            guard turn == watched else { return }
            turn = nil
            watchTime /= 2
        }

        /// The thread to start or wake for what waits.
        mutating func activate() -> Activation? {
            // A watcher sleeps for all of its time, also if what it watches has ended meanwhile.
            let isDelayed = !waiting.isEmpty && (turn == nil || !isWatched)
            let hasDiskWork = !diskWorks.isEmpty && onDisk < CallbackExecutor.diskThreads
            guard !works.isEmpty || isDelayed || hasDiskWork, !isOneComing else { return nil }
            isOneComing = true
            guard sleeping == 0 else {
                sleeping -= 1
                return .wake
            }
            members += 1
            return .start
        }
    }

    private enum Activation { case wake, start }

    private let state: Locked<State>
    private let wakeup = Semaphore()
    private let startThread: WorkerPool.ThreadStarter
    private let idleTime: Duration

    init(idleTime: Duration, watchTime: Duration = .milliseconds(20), startThread: @escaping WorkerPool.ThreadStarter) {
        state = Locked(State(watchTime: watchTime))
        self.idleTime = idleTime
        self.startThread = startThread
    }

    /// Runs `callback` on a thread of the executor, after those before it.
    func run(_ callback: @escaping Callback) { add { $0.waiting.append(callback) } }

    /// Runs `work` on a thread of the executor, beside all others.
    func runAtOnce(_ work: @escaping Callback) { add { $0.works.append(work) } }

    /// Runs `work`, which waits for a disk only, on one of a few threads.
    func runOnDisk(_ work: @escaping Callback) { add { $0.diskWorks.append(work) } }

    private func add(_ change: (inout State) -> Void) {
        let activation = state.withLock { state in
            change(&state)
            return state.activate()
        }
        perform(activation)
    }

    private func perform(_ activation: Activation?) {
        switch activation {
        case nil: break
        case .wake: wakeup.signal()
        case .start: if !startThread({ [self] in serve() }) { makeDo() }
        }
    }

    /// The system refused to start a thread. If there is no other, the callback runs on this one.
    private func makeDo() {
        let (isAlone, activation) = state.withLock { state in
            state.isOneComing = false
            state.members -= 1
            // One that fell asleep meanwhile was not woken for what came then: another was coming.
            return (state.members == 0, state.sleeping > 0 ? state.activate() : nil)
        }
        perform(activation)
        guard isAlone else { return }
        while true {
            switch state.withLock({ $0.next() }) {
            case .run(let callback, let kind):
                Surroundings.leave(callback)
                state.withLock { $0.end(kind) }
            // It runs on this thread, further down the stack.
            case .watch(let turn, _): state.withLock { $0.takeOver(from: turn) }
            case .sleep: return
            }
        }
    }

    /// The main function of a thread.
    private func serve() {
        var ended: Kind?
        var hasArrived = true
        while true {
            // In one step: otherwise a thread more would be started for the work that this one takes now.
            let (next, activation) = state.withLock { state in
                if hasArrived { state.isOneComing = false }
                if let ended { state.end(ended) }
                let next = state.next()
                if case .sleep = next { state.sleeping += 1 }
                return (next, state.activate())
            }
            (ended, hasArrived) = (nil, false)
            perform(activation)
            switch next {
            case .run(let callback, let kind):
                callback()
                ended = kind
            case .watch(let turn, let watchTime):
                // Nobody signals it: the other thread takes the callbacks if it returns in time.
                Semaphore().wait(atMost: watchTime)
                state.withLock { $0.takeOver(from: turn) }
            case .sleep:
                guard sleep() else { return }
                hasArrived = true
            }
        }
    }

    /// Ends the sleeping threads, and from now on each that has nothing to do.
    func endIdleThreads() {
        let count = state.withLock { state in
            state.isReleased = true
            state.leaving += state.sleeping
            state.members -= state.sleeping
            defer { state.sleeping = 0 }
            return state.sleeping
        }
        for _ in 0..<count { wakeup.signal() }
    }

    /// Sleeps until there is a callback; false after the idle time, and then this thread ends.
    private func sleep() -> Bool {
        if !wakeup.wait(atMost: state.withLock(\.isReleased) ? .zero : idleTime) {
            let goes = state.withLock { state in
                guard state.sleeping > 0 else { return false }
                state.sleeping -= 1
                state.members -= 1
                return true
            }
            if goes { return false }
            // It was signalled at this moment.
            wakeup.wait()
        }
        return state.withLock { state in
            guard state.leaving > 0 else { return true }
            state.leaving -= 1
            return false
        }
    }
}

import Dispatch
import HTTPCore

/// Threads that run the caller's code for a thread that must not be held up by it.
///
/// However long one of the callbacks takes, there is a thread for the next: as long as one waits, a member of the crew
/// that is not in a callback is there or on the way. As with the thread that watches the clock, who is back first goes
/// on, so that a thousand short callbacks do not start a thousand threads.
final class CallbackExecutor: Sendable {
    typealias Callback = @Sendable () -> Void

    private struct State {
        var waiting: [Callback?] = []
        /// The first of them that was not taken yet.
        var position = 0
        var members = 0
        var sleeping = 0
        /// Whether a member was started or woken, and has not arrived.
        var isOneComing = false

        mutating func take() -> Callback? {
            guard position < waiting.count else { return nil }
            let callback = waiting[position]
            waiting[position] = nil
            position += 1
            if position == waiting.count {
                waiting.removeAll(keepingCapacity: waiting.capacity < 1024)
                position = 0
            } else if position > 1024, position > waiting.count / 2 {
                // Some always wait where callbacks come as fast as they are run.
                waiting.removeFirst(position)
                position = 0
            }
            return callback
        }

        /// Who has to be called so that somebody sees to those that wait.
        mutating func summon() -> Summons? {
            guard position < waiting.count, !isOneComing else { return nil }
            isOneComing = true
            guard sleeping == 0 else {
                sleeping -= 1
                return .wake
            }
            members += 1
            return .start
        }
    }

    private enum Summons { case wake, start }

    private let state = Locked(State())
    private let bell = DispatchSemaphore(value: 0)
    private let startThread: WorkerPool.ThreadStarter
    private let idleTime: Duration

    init(idleTime: Duration, startThread: @escaping WorkerPool.ThreadStarter) {
        self.idleTime = idleTime
        self.startThread = startThread
    }

    /// Has `callback` run on a thread of the crew.
    func run(_ callback: @escaping Callback) {
        let summons = state.withLock { state in
            state.waiting.append(callback)
            return state.summon()
        }
        perform(summons)
    }

    private func perform(_ summons: Summons?) {
        switch summons {
        case nil: break
        case .wake: bell.signal()
        case .start: if !startThread({ [self] in serve() }) { makeDo() }
        }
    }

    /// The system refused to start a thread. If there is no other, the callback runs on this one.
    private func makeDo() {
        let isAlone = state.withLock { state in
            state.isOneComing = false
            state.members -= 1
            return state.members == 0
        }
        guard isAlone else { return }
        while let callback = state.withLock({ $0.take() }) { callback() }
    }

    /// The life of a member.
    private func serve() {
        state.withLock { $0.isOneComing = false }
        while true {
            let (callback, summons) = state.withLock { state in
                let callback = state.take()
                if callback == nil { state.sleeping += 1 }
                return (callback, state.summon())
            }
            perform(summons)
            if let callback { callback() } else if !sleep() { return }
        }
    }

    /// Sleeps until there is something to do; false when that took too long, and this member goes.
    private func sleep() -> Bool {
        if bell.wait(timeout: .now() + idleTime.interval) == .timedOut {
            let goes = state.withLock { state in
                guard state.sleeping > 0 else { return false }
                state.sleeping -= 1
                state.members -= 1
                return true
            }
            if goes { return false }
            // Somebody rang in this very moment.
            bell.wait()
        }
        state.withLock { $0.isOneComing = false }
        return true
    }
}

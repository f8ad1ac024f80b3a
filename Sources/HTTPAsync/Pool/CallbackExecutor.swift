import Dispatch
import HTTPCore

/// Threads that run the caller's code for a thread that must not be blocked by it.
///
/// A slow callback does not delay the next: while callbacks wait, a thread of the executor that is not in a callback
/// exists or is being started. The first thread that becomes free takes the next callback, so a thousand short
/// callbacks do not start a thousand threads.
final class CallbackExecutor: Sendable {
    typealias Callback = @Sendable () -> Void

    private struct State {
        var waiting: [Callback?] = []
        /// The index of the first callback not yet taken.
        var position = 0
        var members = 0
        var sleeping = 0
        /// Whether a thread was started or woken and has not arrived.
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
                // Compacted here, because the queue may never be empty.
                waiting.removeFirst(position)
                position = 0
            }
            return callback
        }

        /// The threads to start or wake for the waiting callbacks.
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

    /// Runs `callback` on a thread of the executor.
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

    /// The main function of a thread.
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

    /// Sleeps until there is a callback; false after the idle time, and then this thread ends.
    private func sleep() -> Bool {
        if bell.wait(timeout: .now() + idleTime.interval) == .timedOut {
            let goes = state.withLock { state in
                guard state.sleeping > 0 else { return false }
                state.sleeping -= 1
                state.members -= 1
                return true
            }
            if goes { return false }
            // It was signalled at this moment.
            bell.wait()
        }
        state.withLock { $0.isOneComing = false }
        return true
    }
}

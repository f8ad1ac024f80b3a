import Dispatch
import HTTPCore
import Synchronization

/// A thread of a pool as other threads see it: a mailbox and a signal.
final class Worker: Sendable, Equatable {
    typealias Run = Schedule<any DispatchedJob, Worker>.Run

    private enum Box {
        static let empty: UInt8 = 0
        static let full: UInt8 = 1
        /// The mailbox is empty, and the worker must be signalled.
        static let watched: UInt8 = 2
    }

    let pool: WorkerPool
    let nested = NestedCalls()
    private let slotWord = Atomic<UInt64>(0)
    private let isOutside = Atomic(false)
    private let hasHost = Atomic(false)
    private let passWord = Atomic<UInt64>(0)
    private let state = Atomic(Box.empty)
    private let letter = Locked<Run?>(nil)
    private let bell = DispatchSemaphore(value: 0)

    init(pool: WorkerPool) { self.pool = pool }

    static func == (lhs: Worker, rhs: Worker) -> Bool { lhs === rhs }

    /// Its slot while it is in the core of a call. Used by its own thread only.
    var slot: Ticket? {
        get { Ticket(word: slotWord.load(ordering: .relaxed)) }
        set { slotWord.store(newValue?.word ?? 0, ordering: .relaxed) }
    }

    /// Whether it runs other calls' callbacks meanwhile. Used by its own thread only.
    var isOutsideCall: Bool {
        get { isOutside.load(ordering: .relaxed) }
        set { isOutside.store(newValue, ordering: .relaxed) }
    }

    /// Whether its call names a host and counts there. Used by its own thread only.
    var namesHost: Bool {
        get { hasHost.load(ordering: .relaxed) }
        set { hasHost.store(newValue, ordering: .relaxed) }
    }

    /// Its pass to a host, if the call names none. Used by its own thread only.
    var pass: Ticket? {
        get { Ticket(word: passWord.load(ordering: .relaxed)) }
        set { passWord.store(newValue?.word ?? 0, ordering: .relaxed) }
    }

    /// Gives it a call. Only for an idle worker that the schedule has chosen.
    func assign(_ run: Run) {
        letter.withLock { $0 = run }
        if state.exchange(Box.full, ordering: .acquiringAndReleasing) == Box.watched { bell.signal() }
    }

    /// Waits for a call, on its own thread; nil after the idle time.
    func wait(atMost time: Duration) -> Run? {
        let isEmpty = state.compareExchange(
            expected: Box.empty, desired: Box.watched, ordering: .acquiringAndReleasing)
        if isEmpty.exchanged, bell.wait(timeout: .now() + time.interval) == .timedOut {
            let isStillEmpty = state.compareExchange(
                expected: Box.watched, desired: Box.empty, ordering: .acquiringAndReleasing)
            if isStillEmpty.exchanged { return nil }
            // A call has just arrived, and its signal will follow.
            bell.wait()
        }
        state.store(Box.empty, ordering: .releasing)
        return letter.withLock { letter in
            defer { letter = nil }
            return letter
        }
    }
}

extension Duration {
    /// For waits of Dispatch; very long durations are clamped.
    package var interval: DispatchTimeInterval {
        guard self < .seconds(1_000_000_000) else { return .never }
        let (seconds, attoseconds) = max(self, .zero).components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}

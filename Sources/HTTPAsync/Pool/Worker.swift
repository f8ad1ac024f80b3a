import Dispatch
import HTTPCore
import Synchronization

/// A thread of a pool, seen from the others: a letter box and a bell.
final class Worker: Sendable, Equatable {
    typealias Run = Schedule<any DispatchedJob, Worker>.Run

    private enum Box {
        static let empty: UInt8 = 0
        static let full: UInt8 = 1
        /// Empty, and the bell has to be rung.
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

    /// The slot it has, while it is in the core of a call. Its own thread's business.
    var slot: Ticket? {
        get { Ticket(word: slotWord.load(ordering: .relaxed)) }
        set { slotWord.store(newValue?.word ?? 0, ordering: .relaxed) }
    }

    /// Whether it runs callbacks of others in the middle of that. Its own thread's business.
    var isOutsideCall: Bool {
        get { isOutside.load(ordering: .relaxed) }
        set { isOutside.store(newValue, ordering: .relaxed) }
    }

    /// Whether the call it is in names a host, and so counts there. Its own thread's business.
    var namesHost: Bool {
        get { hasHost.load(ordering: .relaxed) }
        set { hasHost.store(newValue, ordering: .relaxed) }
    }

    /// The pass it has to a host, if the call names none. Its own thread's business.
    var pass: Ticket? {
        get { Ticket(word: passWord.load(ordering: .relaxed)) }
        set { passWord.store(newValue?.word ?? 0, ordering: .relaxed) }
    }

    /// Hands it a call. Only for an idle worker, which the schedule has picked for it.
    func assign(_ run: Run) {
        letter.withLock { $0 = run }
        if state.exchange(Box.full, ordering: .acquiringAndReleasing) == Box.watched { bell.signal() }
    }

    /// Waits for a call, on its own thread; nil when none came for so long.
    func wait(atMost time: Duration) -> Run? {
        let isEmpty = state.compareExchange(
            expected: Box.empty, desired: Box.watched, ordering: .acquiringAndReleasing)
        if isEmpty.exchanged, bell.wait(timeout: .now() + time.interval) == .timedOut {
            let isStillEmpty = state.compareExchange(
                expected: Box.watched, desired: Box.empty, ordering: .acquiringAndReleasing)
            if isStillEmpty.exchanged { return nil }
            // A call arrived in this very moment, and its ring is on the way.
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
    /// For the waits of Dispatch; a very long one is long enough.
    package var interval: DispatchTimeInterval {
        guard self < .seconds(1_000_000_000) else { return .never }
        let (seconds, attoseconds) = max(self, .zero).components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}

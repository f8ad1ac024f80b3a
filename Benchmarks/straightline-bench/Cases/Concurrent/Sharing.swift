import CurlFloor
import Dispatch
import Straightline
import Synchronization

extension Case {
    /// A run that does all at once; each slot gets its share of the time.
    static func sharing(_ work: @escaping (_ count: Int) throws -> Void) -> Run {
        { slots in
            let start = clock_nanoseconds()
            try work(slots.count)
            slots.update(repeating: (clock_nanoseconds() - start) / UInt64(max(slots.count, 1)))
        }
    }
}

/// Waits until a number of things are done, on any threads, and keeps the last thing that went wrong.
final class Countdown: Sendable {
    private let state: Mutex<(left: Int, problem: (any Error)?)>
    private let isOver = DispatchSemaphore(value: 0)

    init(_ count: Int) { state = Mutex((count, nil)) }

    func finish(_ check: () throws -> Void) {
        var problem: (any Error)?
        do { try check() } catch let thrown { problem = thrown }
        let left = state.withLock { state in
            if problem != nil { state.problem = problem }
            state.left -= 1
            return state.left
        }
        if left == 0 { isOver.signal() }
    }

    func wait() throws {
        isOver.wait()
        if let problem = state.withLock({ $0.problem }) { throw problem }
    }
}

/// Threads that share out work, time and again.
final class ThreadTeam: Sendable {
    private typealias Work = (share: @Sendable (_ thread: Int) throws -> Void, countdown: Countdown)

    private let work: Desk<Work?>
    private let threads: [Partner]

    init(_ width: Int) throws {
        let work = Desk<Work?>(nil)
        self.work = work
        threads = try (0..<width).map { thread in
            try Partner(woken: DispatchSemaphore(value: 0)) {
                guard let (share, countdown) = work.value else { return }
                countdown.finish { try share(thread) }
            }
        }
    }

    /// Does `operation` that many times in all, and waits for it.
    func work(_ count: Int, _ operation: @escaping @Sendable () throws -> Void) throws {
        try share(count) { _, count in for _ in 0..<count { try operation() } }
    }

    /// Has each thread do its part of `count`, and waits for all.
    func share(_ count: Int, _ part: @escaping @Sendable (_ thread: Int, _ count: Int) throws -> Void) throws {
        let width = threads.count
        let countdown = Countdown(width)
        let share: @Sendable (Int) throws -> Void = { thread in
            try part(thread, count / width + (thread < count % width ? 1 : 0))
        }
        work.value = (share, countdown)
        for thread in threads { thread.ring() }
        try countdown.wait()
    }
}

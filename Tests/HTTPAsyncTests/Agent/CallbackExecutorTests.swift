import HTTPSupport
import HTTPCore
import HTTPTesting
import Testing

@testable import HTTPAsync

@Suite(.timeLimit(.minutes(5))) struct CallbackExecutorTests {
    private func executor(
        idle: Duration = .seconds(10), watchTime: Duration = .milliseconds(20), _ started: Event = Event(),
        _ ended: Event = Event()
    ) -> CallbackExecutor {
        CallbackExecutor(idleTime: idle, watchTime: watchTime) { body in
            started.signal()
            return Worker.startThread(stackBytes: 512 << 10) {
                body()
                ended.signal()
            }
        }
    }

    @Test func `each callback runs once`() async {
        let done = Event()
        let executor = executor()
        for _ in 0..<10_000 { executor.run { done.signal() } }
        await done.happened(10_000)
        #expect(done.count == 10_000)
    }

    @Test func `successive callbacks share a few threads`() async {
        let (started, done) = (Event(), Event())
        let executor = executor(started)
        for round in 1...1000 {
            executor.run { done.signal() }
            await done.happened(round)
        }
        // Two would suffice, but the executor does not wait for a thread that the system delays.
        #expect(started.count < 100)
    }

    @Test func `the next callback runs however many others block`() async {
        let (gate, inside) = (Event(), Event())
        let executor = executor()
        for _ in 0..<20 {
            executor.run {
                inside.signal()
                gate.block()
            }
        }
        await inside.happened(20)
        gate.signal()
    }

    @Test func `work on a disk has few threads, and other work never waits for it`() async {
        let (gate, inside, done, other) = (Event(), Event(), Event(), Event())
        let (now, most) = (Locked(0), Locked(0))
        let executor = executor()
        for _ in 0..<100 {
            executor.runOnDisk {
                let count = now.withLock { now in
                    now += 1
                    return now
                }
                most.withLock { $0 = max($0, count) }
                inside.signal()
                gate.block()
                now.withLock { $0 -= 1 }
                done.signal()
            }
        }
        await inside.happened(CallbackExecutor.diskThreads)
        // The threads of these look for more afterwards, and must leave the disk alone.
        for round in 1...20 {
            executor.runAtOnce { other.signal() }
            executor.run { other.signal() }
            await other.happened(2 * round)
        }
        #expect(done.count == 0 && inside.count == CallbackExecutor.diskThreads)
        gate.signal()
        await done.happened(100)
        #expect(most.withLock { $0 } == CallbackExecutor.diskThreads)
    }

    @Test func `callbacks run in order, one at a time, if none takes long`() async {
        let (order, done) = (Locked<[Int]>([]), Event())
        // A busy machine may stop a thread for longer than the default.
        let executor = executor(watchTime: .seconds(60))
        for number in 0..<10_000 {
            executor.run {
                order.withLock { $0.append(number) }
                done.signal()
            }
        }
        await done.happened(10_000)
        #expect(order.withLock { $0 } == Array(0..<10_000))
    }

    @Test func `work that need not be in order waits for no callback`() async {
        let (gate, order, done) = (Event(), Locked<[Int]>([]), Event())
        let executor = executor()
        executor.run { gate.block() }
        for number in 1...3 {
            executor.run {
                order.withLock { $0.append(number) }
                done.signal()
            }
        }
        executor.runAtOnce { gate.signal() }
        await done.happened(3)
        #expect(order.withLock { $0 } == [1, 2, 3])
    }

    @Test func `one may wait for the next`() async {
        let (second, done) = (Event(), Event())
        let executor = executor()
        executor.run {
            second.block()
            done.signal()
        }
        executor.run { second.signal() }
        await done.happened()
    }

    @Test func `idle threads end, and new ones are started`() async {
        let (started, ended, done) = (Event(), Event(), Event())
        let executor = executor(idle: .milliseconds(10), started, ended)
        for round in 1...3 {
            executor.run { done.signal() }
            await done.happened(round)
            await ended.happened(round)
        }
        #expect(started.count == 3)
    }

    @Test func `what comes while a thread is refused wakes the one that fell asleep meanwhile`() async {
        let (inside, gate, asleep, second) = (Event(), Event(), Event(), Event())
        let (count, box) = (Locked(0), Locked<CallbackExecutor?>(nil))
        let executor = CallbackExecutor(idleTime: .seconds(60)) { body in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            if isFirst {
                return Worker.startThread(stackBytes: 512 << 10) {
                    ThreadSystem.run(in: ToldWaits { asleep.signal() }, body)
                }
            }
            gate.signal()
            asleep.block()
            // Another thread is coming, it seems.
            box.withLock { $0 }?.runAtOnce { second.signal() }
            return false
        }
        box.withLock { $0 = executor }
        executor.runAtOnce {
            inside.signal()
            gate.block()
        }
        await inside.happened()
        await onThread { executor.runAtOnce {} }
        #expect(await suspended(atMost: .seconds(20)) { second.count == 1 })
        #expect(count.withLock { $0 } == 2)
        box.withLock { $0 = nil }
        executor.endIdleThreads()
    }

    @Test func `if no thread can be started, the caller's runs it`() {
        let executor = CallbackExecutor(idleTime: .seconds(1)) { _ in false }
        let done = Event()
        executor.run { done.signal() }
        #expect(done.count == 1)
    }
}

/// The system itself, but for its waits, which are told when they begin.
private final class ToldWaits: SimulatedSystem {
    private let tell: @Sendable () -> Void

    init(_ tell: @escaping @Sendable () -> Void) { self.tell = tell }

    var now: TimePoint { TimePoint(ContinuousClock.now) }
    var unixTime: Double { 0 }
    var taskExecutor: any TaskExecutor { globalConcurrentExecutor }

    func nextRandomNumber() -> UInt64 { 0 }
    func start(_ body: @escaping @Sendable () -> Void) -> Bool { false }
    func counterpart<Object: AnyObject & Sendable>(of object: any AnyObject & Sendable, _ make: () -> Object) -> Object
    {
        make()
    }

    func wait(until end: TimePoint?, _ isOver: @escaping @Sendable () -> Bool) -> Bool {
        tell()
        while !isOver() {
            if let end, end <= now { return false }
            _ = ThreadSystem.run(in: nil) { Signal().wait(until: .now + .milliseconds(1)) }
        }
        return true
    }
}

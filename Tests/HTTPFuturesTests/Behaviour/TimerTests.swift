import HTTPSupport
import Foundation
import HTTPCore
import Testing

@testable import HTTPAsync
import HTTPFutures

/// What waiting for an instant costs.
@Suite(.timeLimit(.minutes(5))) struct TimerTests {
    private static let ownThreads = "/proc/self/task"

    private var timers: Int { Dispatcher.shared.pool.schedule.withLock { $0.timekeeping.timers.count } }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: ownThreads), "needs a system with /proc"))
    func `Thirty thousand timeouts, delays and budgets that are not used up take no thread`() async throws {
        let threads = { try FileManager.default.contentsOfDirectory(atPath: Self.ownThreads).count }
        var growth: [Int] = []
        // Other tests start threads, too, but not each time.
        for _ in 0..<4 where growth.allSatisfy({ $0 > 8 }) {
            _ = IntFuture.success(1).delay(.seconds(600)).cancel()
            let before = try threads()
            for number in 0..<10_000 {
                let promise = IntPromise()
                let limited = promise.future.timeout(.seconds(600)).deadline(.seconds(600))
                let late = limited.delay(.seconds(600))
                promise.succeed(number)
                late.cancel()
            }
            growth.append(try threads() - before)
        }
        #expect(growth.contains { $0 <= 8 })
        // The other tests have some.
        #expect(timers < 5_000)
    }

    @Test func `A limit holds nothing once its future has ended, however it ends`() async {
        let counter = Counter()
        typealias TrackedPromise = Promise<Tracked, Problem>
        let holding = { (promise: TrackedPromise) in
            let held = Tracked(counter)
            return promise.future.timeout(.seconds(600)).map { value in
                _ = held
                return value
            }
        }
        do {
            let (resolved, broken) = (TrackedPromise(), TrackedPromise())
            let ends = [holding(resolved), holding(broken), holding(TrackedPromise())]
            resolved.succeed(Tracked(counter))
            broken.fail(.other(1))
            #expect(ends.allSatisfy { !$0.isPending })
        }
        #expect(counter.value == 0)
        let promise = TrackedPromise()
        holding(promise).cancel()
        _ = Future<Tracked, Problem>.success(Tracked(counter)).delay(.seconds(600)).cancel()
        #expect(counter.value == 0)
    }

    @Test func `Pending limits are counted among the timers, and each ends its own future`() async {
        let promises = (0..<1000).map { _ in IntPromise() }
        let limited = promises.map { $0.future.timeout(.seconds(600)) }
        #expect(timers >= 1000)
        let short = promises.map { $0.future.timeout(.milliseconds(1)) }
        #expect(
            await resultOf(.allSettled(short))
                == .success(Array(repeating: .failure(.timedOut(after: .milliseconds(1))), count: 1000)))
        #expect(limited.allSatisfy { $0.isPending })
        for (number, promise) in promises.enumerated() { promise.succeed(number) }
        #expect(limited.map(\.result) == (0..<1000).map { .success($0) })
    }

    @Test func `A callback that blocks at its limit delays no other limit`() async {
        let (gate, inside) = (IntPromise(), Counter())
        let arrived = IntPromise()
        let pending = (0..<20).map { _ in IntPromise() }
        let blocked = pending.map { promise in
            promise.future.timeout(.milliseconds(1)).always { _ in
                if inside.add() == 20 { arrived.succeed(1) }
                _ = try? gate.future.wait()
            }
        }
        #expect(await resultOf(arrived.future) == .success(1))
        gate.succeed(1)
        for future in blocked { _ = await resultOf(future) }
    }
}

import CurlFloor
import Dispatch
import HTTPTesting
import Straightline
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Trial {
    /// Tasks that have nothing to do with the calls are started from a thread of their own, one after the other, as long
    /// as all calls block; the same before, without any calls, says what of it is the machine.
    static let blockedCalls = Trial(
        section: .trials, name: "64 calls that block for 1 s each delay an unrelated Task by less than 5 ms"
    ) {
        let request = try Request(.get("http://stub.test/"))
        let blocked = Counter()
        let returned = Counter()
        let client = StubClient { request in
            blocked.add()
            sleep(1)
            returned.add()
            return .success(Response(request: request, status: .noContent))
        }
        let dispatcher = Dispatcher(Dispatcher.Configuration(running: 64, runningPerHost: 64))

        let idleEnd = clock_nanoseconds() + 500_000_000
        let idle = taskDelays { clock_nanoseconds() < idleEnd }

        let finished = DispatchSemaphore(value: 0)
        let answered = Counter()
        for _ in 0..<64 {
            Task.detached {
                if case .some = try? await client.send(request, on: dispatcher) { answered.add() }
                finished.signal()
            }
        }
        let deadline = clock_nanoseconds() + 500_000_000
        while blocked.count < 64, clock_nanoseconds() < deadline { usleep(1000) }
        let atOnce = blocked.count
        let busy = taskDelays { returned.count == 0 }
        for _ in 0..<64 { finished.wait() }

        return [
            Quantity("worst delay", busy.max() ?? 0, "ms", .time(below: 5)),
            Quantity("99th percentile", busy.quantile(0.99), "ms"),
            Quantity("worst delay without the calls", idle.max() ?? 0, "ms"),
            Quantity("99th percentile without the calls", idle.quantile(0.99), "ms"),
            Quantity("tasks started meanwhile", Double(busy.count)),
            Quantity("calls blocked at once", Double(atOnce), "", .exactly(64)),
            Quantity("calls answered", Double(answered.count), "", .exactly(64)),
        ]
    }

    /// The milliseconds from making a task to its first line, again and again.
    private static func taskDelays(while isOn: () -> Bool) -> [Double] {
        let desk = Desk<UInt64>(0)
        let hasRun = DispatchSemaphore(value: 0)
        var delays: [Double] = []
        while isOn() {
            let start = clock_nanoseconds()
            Task.detached {
                desk.value = clock_nanoseconds()
                hasRun.signal()
            }
            hasRun.wait()
            delays.append(Double(desk.value - start) / 1_000_000)
            usleep(200)
        }
        return delays
    }
}

/// Counts, from any thread.
final class Counter: Sendable {
    private let value = Atomic(0)

    var count: Int { value.load(ordering: .acquiring) }

    @discardableResult
    func add(_ number: Int = 1) -> Int { value.add(number, ordering: .acquiringAndReleasing).newValue }
}

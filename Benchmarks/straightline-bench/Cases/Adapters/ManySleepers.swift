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
    static let awaitedSleepers = Trial(
        section: .trials, name: "10,000 awaited calls of 100 ms each, 2,000 at once, end within 1 s"
    ) {
        try sleepers { client, request, dispatcher, delivered in
            Task.detached { delivered(try? await client.send(request, on: dispatcher)) }
        }
    }

    static let calledBackSleepers = Trial(
        section: .trials, name: "10,000 calls with callbacks of 100 ms each, 2,000 at once, end within 1 s"
    ) {
        try sleepers { client, request, dispatcher, delivered in
            client.executeRequest(request, callbackQueue: .immediate, on: dispatcher) { delivered(try? $0.get()) }
        }
    }

    private typealias Delivered = @Sendable (Response?) -> Void

    /// Has `submit` make the calls, each of which tells its outcome to the closure it is given.
    private static func sleepers(
        _ submit: (_ client: StubClient, Request, Dispatcher, @escaping Delivered) -> Void
    ) throws -> [Quantity] {
        let calls = 10_000
        let cap = 2000
        let request = try Request(.get("http://stub.test/"))
        let crowd = Crowd()
        let client = StubClient { request in
            crowd.enter()
            usleep(100_000)
            crowd.leave()
            return .success(Response(request: request, status: .noContent))
        }
        let dispatcher = Dispatcher(Dispatcher.Configuration(running: cap, runningPerHost: cap, queued: calls))
        let deliveries = (0..<calls).map { _ in Counter() }
        let failures = Counter()
        let left = Counter()
        left.add(calls)
        let isOver = DispatchSemaphore(value: 0)

        let start = clock_nanoseconds()
        for delivery in deliveries {
            submit(client, request, dispatcher) { response in
                if response == nil { failures.add() }
                delivery.add()
                if left.add(-1) == 0 { isOver.signal() }
            }
        }
        _ = isOver.wait(timeout: .now() + 30)
        let time = Double(clock_nanoseconds() - start) / 1_000_000_000
        // Idle threads stay for seconds, so all that there were are still there.
        let threads = thread_count()
        // What is delivered twice comes late.
        usleep(200_000)
        return [
            Quantity("time", time, "s", .time(below: 1)),
            Quantity("calls delivered once", Double(deliveries.count { $0.count == 1 }), "", .exactly(Double(calls))),
            Quantity("calls that failed", Double(failures.count), "", .exactly(0)),
            Quantity("calls at once, at most", Double(crowd.peak), "", .atMost(Double(cap))),
            Quantity("threads", Double(threads)),
            Quantity("resident memory", Double(peak_resident_bytes()) / 1_048_576, "MB"),
        ]
    }
}

/// How many are inside at once, and were at most.
private final class Crowd: Sendable {
    private let inside = Atomic(0)
    private let most = Atomic(0)

    var peak: Int { most.load(ordering: .relaxed) }

    func enter() { most.max(inside.add(1, ordering: .relaxed).newValue, ordering: .relaxed) }

    func leave() { inside.subtract(1, ordering: .relaxed) }
}

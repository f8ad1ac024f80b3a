import CurlFloor
import Dispatch
import HTTPAsync
import HTTPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Trial {
    /// Over real connections, of which each call has one.
    static let callsInFlight = Trial(
        section: .trials, name: "10,000 awaited requests of 2 s each, all under way at once"
    ) {
        let calls = 10_000
        let port = slow_server_start(2_000_000_000)
        guard port > 0 else { throw Failure("there is no server that takes its time") }
        let client = CurlTransport()
        let request = try Request(.get("http://127.0.0.1:\(port)/"))
        let dispatcher = Dispatcher(Dispatcher.Configuration(running: calls, runningPerHost: calls, queued: calls))
        let threads = thread_count()
        let answered = Counter()
        let left = Counter()
        left.add(calls)
        let isOver = DispatchSemaphore(value: 0)
        let start = clock_nanoseconds()
        for _ in 0..<calls {
            Task.detached {
                if case .some = try? await client.response(for: request, on: dispatcher) { answered.add() }
                if left.add(-1) == 0 { isOver.signal() }
            }
        }
        var mostDescriptors = 0
        var mostThreads = threads
        while isOver.wait(timeout: .now() + .milliseconds(200)) == .timedOut {
            mostDescriptors = max(mostDescriptors, descriptorCount())
            mostThreads = max(mostThreads, thread_count())
        }
        let time = Double(clock_nanoseconds() - start) / 1_000_000_000
        return [
            Quantity("time", time, "s", .time(below: 4.2)),
            Quantity("calls answered", Double(answered.count), "", .exactly(Double(calls))),
            Quantity("resident memory", Double(peak_resident_bytes()) / 1_048_576, "MB", .atMost(200)),
            Quantity("descriptors", Double(mostDescriptors), "", .atMost(11_000)),
            // With those of the tasks.
            Quantity("threads", Double(mostThreads)),
        ]
    }

    /// 0 if the system does not say.
    private static func descriptorCount() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    }
}

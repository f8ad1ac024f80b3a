import CurlFloor
import Dispatch
import Straightline

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Trial {
    /// A call that waits for its turn holds no slot, so a dispatcher with few slots makes other calls at once.
    static let limitedCalls = Trial(
        section: .trials, name: "100 calls that wait for a rate limit delay an unrelated one by less than 5 ms"
    ) {
        let answers = Counter()
        let client = FixedClient { request in
            answers.add()
            return .success(Response(request: request, status: .noContent))
        }
        let limited = client.intercepted(by: .rateLimit(20, per: .seconds(1), burst: 1))
        let request = try Request(.get("http://stub.test/"))
        let dispatcher = Dispatcher(Dispatcher.Configuration(running: 8, runningPerHost: 8))
        let tasks = (0..<100).map { _ in Task { try await limited.send(request, on: dispatcher) } }
        // The first call does not have to wait.
        while answers.count == 0 { usleep(1000) }

        let (times, threads) = try delays(of: client, request, dispatcher)
        let waiting = 100 - (answers.count - times.count)
        for task in tasks { task.cancel() }
        return [
            Quantity("worst time of an unrelated call", times.max() ?? 0, "ms", .time(below: 5)),
            Quantity("median", times.quantile(0.5), "ms"),
            Quantity("unrelated calls", Double(times.count)),
            Quantity("calls still waiting behind the limit", Double(waiting)),
            Quantity("threads", Double(threads)),
        ]
    }

    /// The milliseconds of one call after the other, for a second.
    private static func delays(
        of client: some HTTPClient, _ request: Request, _ dispatcher: Dispatcher
    ) throws -> (times: [Double], threads: Int) {
        let end = clock_nanoseconds() + 1_000_000_000
        let times = Desk<[Double]>([])
        try waitFor {
            while clock_nanoseconds() < end {
                let start = clock_nanoseconds()
                _ = try await client.send(request, on: dispatcher)
                times.value.append(Double(clock_nanoseconds() - start) / 1_000_000)
                try await Task.sleep(for: .milliseconds(1))
            }
        }
        return (times.value, Int(thread_count()))
    }
}

import CurlFloor
import Foundation
import HTTPTesting
import Straightline

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What a cache costs and saves, beside the same calls without one: over a client that answers 10 KB at once, so that nothing
/// but the cache takes time. All in turns.
extension Trial {
    static let cachedCalls = Trial(
        section: .cache,
        name: "a hit of 10 KB takes 3 µs in memory and 60 from a directory, and a miss 5 µs more than no cache"
    ) {
        let directory = FileManager.default.temporaryDirectory.path + "/straightline-bench-\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let urls = try (0..<200).map { try Request(.get("http://stub.test/items/\($0)?page=2")) }
        let plain = answering("max-age=3600")
        let inMemory = plain.intercepted(by: .cache(.memory(megabytes: 64)))
        let onDisk = plain.intercepted(by: .cache(.directory(directory)))
        // Stale as it comes, so that each call is sent, takes its part in a flight and stores its answer.
        let stale = answering("max-age=0")
        let missing = stale.intercepted(by: .cache(.memory(megabytes: 64)))
        let ways: [(name: String, client: any HTTPClient)] = [
            ("without a cache", stale), ("a miss", missing), ("a hit in memory", inMemory),
            ("a hit from a directory", onDisk),
        ]
        for way in ways { for request in urls { _ = way.client.executeRequest(request) } }
        var times = [[Double]](repeating: [], count: ways.count)
        for _ in 0..<50 {
            for (index, way) in ways.enumerated() {
                let start = clock_nanoseconds()
                for request in urls {
                    guard case .success(let response) = way.client.executeRequest(request), response.body.count == size
                    else { throw Failure("\(way.name) brought no response") }
                }
                times[index].append(Double(clock_nanoseconds() - start) / 1000 / Double(urls.count))
            }
        }
        let medians = times.map { $0.sorted()[$0.count / 2] }
        return [
            Quantity(ways[0].name, medians[0], "µs"),
            Quantity(ways[1].name + " beyond that", medians[1] - medians[0], "µs", .time(below: 5)),
            Quantity(ways[2].name, medians[2], "µs", .time(below: 3)),
            Quantity(ways[3].name, medians[3], "µs", .time(below: 60)),
        ]
    }

    /// Each thread makes the same number of hits, of things of its own and of one that all want.
    static let cachedThreads = Trial(section: .cache, name: "hits by 64 threads beside those by one") {
        let client = answering("max-age=3600").intercepted(by: .cache(.memory(megabytes: 64)))
        let urls = try (0..<64).map { try Request(.get("http://stub.test/items/\($0)")) }
        for request in urls { _ = client.executeRequest(request) }
        let (single, own) = (load(client, [urls[0]]), load(client, urls))
        let shared = load(client, Array(repeating: urls[0], count: 64))
        let passing = answering("max-age=3600").intercepted(by: .observing { _ in })
        let (singlePassing, ownPassing) = (load(passing, [urls[0]]), load(passing, urls))
        let processors = ProcessInfo.processInfo.activeProcessorCount
        return [
            Quantity("hits by one thread", single.rate, "a µs"),
            Quantity("hits by 64, as a multiple on \(processors) processors", own.rate / single.rate),
            Quantity("the same of calls through .observing, without a cache", ownPassing.rate / singlePassing.rate),
            // Whatever else the machine does: what waits for others, or for their memory, takes more of it.
            Quantity("processor time of a hit by 64, beside one", own.time / single.time, " ", .time(below: 1.25)),
            Quantity("the same of one URL for all", shared.time / single.time),
            Quantity("the same through .observing", ownPassing.time / singlePassing.time),
        ]
    }

    private static let size = 10_000

    private static func answering(_ control: String) -> any HTTPClient {
        let body = Data(count: size)
        return FixedClient { request in
            .success(
                Response(
                    request: request, status: .ok,
                    headers: ["Content-Type": "application/json", "Cache-Control": control, "Server": "stub"],
                    body: body))
        }
    }

    /// Calls for each microsecond and the processor's nanoseconds for one, the best of five.
    private static func load(_ client: any HTTPClient, _ requests: [Request]) -> (rate: Double, time: Double) {
        let count = 400_000 / requests.count
        let all = Double(count * requests.count)
        let rounds = (0..<5).map { _ in
            let group = ThreadGroup(requests.count)
            let (start, busy) = (clock_nanoseconds(), cpu_nanoseconds())
            for request in requests {
                Thread.detachNewThread {
                    for _ in 0..<count { _ = client.executeRequest(request) }
                    group.leave()
                }
            }
            group.wait()
            return (
                rate: all / Double(clock_nanoseconds() - start) * 1000, time: Double(cpu_nanoseconds() - busy) / all
            )
        }
        return (rounds.map(\.rate).max() ?? 0, rounds.map(\.time).min() ?? 0)
    }
}

private final class ThreadGroup: Sendable {
    private let left = Counter()
    private let condition = NSCondition()

    init(_ count: Int) { left.add(count) }

    func leave() {
        guard left.add(-1) == 0 else { return }
        condition.withLock { condition.signal() }
    }

    func wait() { condition.withLock { while left.count > 0 { condition.wait() } } }
}

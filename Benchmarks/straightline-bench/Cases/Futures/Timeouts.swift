import CurlFloor
import Straightline

extension Trial {
    static let futureTimeouts = Trial(
        section: .trials, name: "100,000 pending futures with a timeout take no thread, and little time and memory"
    ) {
        let count = 100_000
        // The pool's thread of timers starts with the first timeout.
        let first = Promise<Int, HTTPError>()
        let kept = first.future.timeout(.seconds(600))
        var promises: [Promise<Int, HTTPError>] = []
        promises.reserveCapacity(count)
        for _ in 0..<count { promises.append(Promise()) }
        var limited: [Future<Int, HTTPError>] = []
        limited.reserveCapacity(count)
        // Beside them, as many futures that are derived without a timer: what a timer adds is the difference.
        var derived: [Future<Int, HTTPError>] = []
        derived.reserveCapacity(count)

        let threads = thread_count()
        let (derivedTime, derivedBytes) = cost { for promise in promises { derived.append(promise.future.map { $0 }) } }
        let (time, bytes) = cost { for promise in promises { limited.append(promise.future.timeout(.seconds(600))) } }
        let start = clock_nanoseconds()
        for promise in promises { promise.succeed(1) }
        let resolving = Double(clock_nanoseconds() - start)
        let threadsAfter = thread_count()
        let ended = limited.count { (try? $0.result?.get()) == 1 }
        first.succeed(1)
        _ = kept.result
        let each = Double(count)
        return [
            Quantity("derived, each", derivedTime / each / 1000, "µs"),
            Quantity("with a timeout, each", time / each / 1000, "µs", .atMost(2)),
            Quantity("resolved, each", resolving / each / 1000, "µs"),
            Quantity("memory of one derived", derivedBytes / each, "B"),
            Quantity("memory of one with a timeout", bytes / each, "B"),
            Quantity("more than of one derived", (bytes - derivedBytes) / each, "B", .atMost(300)),
            Quantity("threads more", Double(threadsAfter) - Double(threads), "", .exactly(0)),
            Quantity("ended in time", Double(ended), "", .exactly(each)),
        ]
    }

    /// The nanoseconds and the bytes of resident memory that `work` takes.
    private static func cost(of work: () -> Void) -> (nanoseconds: Double, bytes: Double) {
        let (start, before) = (clock_nanoseconds(), resident_bytes())
        work()
        return (Double(clock_nanoseconds() - start), Double(resident_bytes()) - Double(before))
    }
}

import CurlFloor
import Dispatch
import Straightline
import Synchronization

extension Case {
    /// A run that awaits `operation` for each slot, in one task.
    static func awaiting(
        on executor: (any TaskExecutor)? = nil, _ operation: @escaping @Sendable () async throws -> Void
    ) -> Run {
        { slots in
            let count = slots.count
            let times = try waitFor(on: executor) {
                var times: [UInt64] = []
                times.reserveCapacity(count)
                for _ in 0..<count {
                    let start = clock_nanoseconds()
                    try await operation()
                    times.append(clock_nanoseconds() - start)
                }
                return times
            }
            for (slot, time) in zip(slots.indices, times) { slots[slot] = time }
        }
    }
}

/// Runs async work in a task and waits for it, on a thread that is not the concurrency runtime's.
func waitFor<Value: Sendable>(
    on executor: (any TaskExecutor)? = nil, _ work: @escaping @Sendable () async throws -> Value
) throws -> Value {
    let outcome = Outcome<Value>()
    let isDone = DispatchSemaphore(value: 0)
    Task.detached(executorPreference: executor) {
        let result: Result<Value, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        outcome.result.withLock { $0 = result }
        isDone.signal()
    }
    isDone.wait()
    return try outcome.result.withLock { $0 }.get()
}

private final class Outcome<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>>(.failure(Failure("the task has no result")))
}

import Dispatch

extension Peer {
    /// Runs async work in a task and waits for it, on a thread that is not the concurrency runtime's.
    public static func waitFor<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) throws -> Value {
        let outcome = Outcome<Value>()
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do { outcome.set(.success(try await work())) } catch { outcome.set(.failure(error)) }
            isDone.signal()
        }
        isDone.wait()
        return try outcome.get()
    }

    /// A run that awaits `operation` again and again in one task, each measured.
    public static func awaiting(_ operation: @escaping @Sendable () async throws -> Void) -> Run {
        { count in
            try waitFor {
                var times: [UInt64] = []
                times.reserveCapacity(count)
                for _ in 0..<count {
                    let start = now()
                    try await operation()
                    times.append(now() - start)
                }
                return times
            }
        }
    }

    /// A run that awaits `operation` in `width` tasks at a time, all measured together.
    public static func awaiting(
        atOnce width: Int, _ operation: @escaping @Sendable () async throws -> Void
    ) -> Run {
        { count in
            let start = now()
            try waitFor {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in 0..<width {
                        let share = count / width + (worker < count % width ? 1 : 0)
                        group.addTask { for _ in 0..<share { try await operation() } }
                    }
                    try await group.waitForAll()
                }
            }
            return [now() - start]
        }
    }
}

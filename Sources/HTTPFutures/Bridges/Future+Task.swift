extension Future where Failure: FutureFailure {
    /// A future for the result of an async function, which runs in a new task. Cancelling the future cancels the task.
    public static func task(
        file: StaticString = #fileID, line: Int = #line,
        _ operation: @escaping @Sendable () async throws(Failure) -> Value
    ) -> Future {
        Future(file: file, line: line) { promise in
            let task = Task {
                do throws(Failure) { promise.succeed(try await operation()) } catch { promise.fail(error) }
            }
            promise.onCancel { task.cancel() }
        }
    }
}

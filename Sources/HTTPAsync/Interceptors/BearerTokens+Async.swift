import HTTPSupport

extension BearerTokens {
    /// A token with a suspending refresh: an actor's method, another library's call.
    ///
    ///     let tokens = BearerTokens { old in try await store.refresh(old) }
    ///     let client = CurlTransport().intercepted(by: .bearer(tokens))
    ///
    /// The refresh runs in its own task and blocks no thread while suspended. It inherits the task-local values of
    /// a blocking call that started it, and none of an awaited one that takes no thread: the refresh serves all
    /// calls. A call that waits for it can be cancelled at once, including the one that started it. Otherwise it works
    /// as a blocking refresh does:
    /// there is one refresh for all. Its calls have no deadline of the refresh, but are cancelled with its task.
    ///
    /// - Parameters:
    ///   - token: The first token; nil if there is none yet.
    ///   - scheme: The scheme before the token in Authorization.
    ///   - window: The largest number of refreshes in a period.
    ///   - refreshTimeout: The longest time of one refresh, 30 s by default. After it the waiting calls fail with
    ///     `.timedOut`, its task is cancelled, and the next call that needs a token starts another. A token that it
    ///     returns later is still used, unless there is a newer one.
    ///   - refresh: Returns a token to replace `old`, which is nil if there is none yet. All waiting calls get its
    ///     error: an `HTTPError` unchanged but for `.cancelled`, which like any other becomes `.interceptor`.
    public convenience init(
        _ token: String? = nil, scheme: String = "Bearer", window: RefreshWindow = RefreshWindow(),
        refreshTimeout: Duration = .seconds(30), refresh: @escaping @Sendable (_ old: String?) async throws -> String
    ) {
        self.init(token, scheme: scheme, window: window, refreshTimeout: refreshTimeout) { old, report in
            let system = ThreadSystem.current
            let isOver = Locked(false)
            // Without the deadline of a refresh, which tasks that it begins would keep: it is cancelled then.
            let refreshing = CallDeadline.$current.withValue(nil) {
                Task(executorPreference: system?.taskExecutor) {
                    do { report(.success(try await refresh(old))) } catch { report(.failure(error)) }
                    isOver.withLock { $0 = true }
                }
            }
            // The closure may never return, and ignore that its task is cancelled.
            if let system {
                let end = system.now + refreshTimeout
                _ = system.start {
                    guard !system.wait(until: end, { isOver.withLock { $0 } }) else { return }
                    report(.failure(RefreshTimeout()))
                    refreshing.cancel()
                }
                return
            }
            let timer = Task {
                // A longer time than can be counted would end the process.
                try await Task.sleep(for: TimeSpan(refreshTimeout).duration)
                report(.failure(RefreshTimeout()))
                refreshing.cancel()
            }
            Task {
                await refreshing.value
                timer.cancel()
            }
        }
    }
}

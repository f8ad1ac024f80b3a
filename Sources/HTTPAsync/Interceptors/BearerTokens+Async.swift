public import HTTPCore

extension BearerTokens {
    /// A token whose refresh suspends: an actor's method, another library's call.
    ///
    ///     let tokens = BearerTokens { old in try await store.refresh(old) }
    ///     let client = CurlTransport().intercepted(by: .bearer(tokens))
    ///
    /// It runs in a task of its own, and holds no thread while it is suspended. Task-local values of the call that began it
    /// are there for a blocking call, not for an awaited one: the refresh is for all. A call that waits for it can be cancelled at once, also the one that began it. The rest
    /// is as for one that blocks: there is one refresh for all, and `refreshTimeout` is for the calls that it makes.
    ///
    /// - Parameters:
    ///   - token: The first token; nil where there is none yet.
    ///   - scheme: What stands before the token in Authorization.
    ///   - window: How many refreshes there may be in a time.
    ///   - refreshTimeout: How long one refresh may take.
    ///   - refresh: Gets a token in place of `old`, which is nil where there is none yet. All who wait get its error:
    ///     an `HTTPError` as it is, any other as `.interceptor`.
    public convenience init(
        _ token: String? = nil, scheme: String = "Bearer", window: RefreshWindow = RefreshWindow(),
        refreshTimeout: Duration = .seconds(30), refresh: @escaping @Sendable (_ old: String?) async throws -> String
    ) {
        self.init(token, scheme: scheme, window: window, refreshTimeout: refreshTimeout) { old, report in
            Task {
                do { report(.success(try await refresh(old))) } catch { report(.failure(error)) }
            }
        }
    }
}

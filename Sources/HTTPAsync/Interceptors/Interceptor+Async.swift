extension Interceptor {
    /// An interceptor from a closure that may suspend. It blocks no thread while suspended, and may handle any number of
    /// calls at once.
    ///
    ///     let signed = Interceptor { request, next in
    ///         let signature = try await signer.signature(of: request)
    ///         return try await next.send(request |> .header("Signature", signature))
    ///     }
    ///
    /// `next` is a plain client: the closure may call it once, several times or never. It runs in a task with the
    /// priority and the task-local values of the caller. The task is cancelled when the call is cancelled or times out;
    /// the call then ends at once, whatever the closure does. Calls of `next` count in the dispatcher of the call. A `Task`
    /// that the closure begins inherits the deadline of the call; a `Task.detached` may make calls after it.
    ///
    /// A blocking call through it blocks its thread until the closure returns. So does an awaited one if the closure of
    /// an interceptor around this one blocks: that is a thread of the dispatcher, where none of the caller's task-local
    /// values are seen.
    ///
    /// - Parameter intercept: Returns the response. An `HTTPError` that it throws fails the call; `CancellationError`
    ///   ends it as `.cancelled`, and any other error as `.interceptor`.
    public init(
        _ intercept: @escaping @Sendable (_ request: Request, _ next: any HTTPClient) async throws -> Response
    ) {
        self.init(wrapping: { SuspendingClient(intercept: intercept, next: $0) })
    }

    /// Applies the step that `make` returns to each request. `make` may suspend: an actor's method, a lookup.
    ///
    ///     client.intercepted(by: .applying { request in .header("Signature", try await signer.signature(of: request)) })
    ///
    /// - Parameter make: An error it throws ends the call as for a suspending closure, and nothing is sent.
    public static func applying(
        _ make: @escaping @Sendable (_ request: Request) async throws -> RequestStep
    ) -> Interceptor {
        Interceptor { request, next in
            try await next.send(request |> (try await make(request)))
        }
    }
}

public import HTTPCore

extension Interceptor {
    /// What a closure does that may suspend. It holds no thread while it does, and any number of calls may be in it.
    ///
    ///     let signed = Interceptor { request, next in
    ///         let signature = try await signer.signature(of: request)
    ///         return try await next.send(MutableRequest(request) |> .header("Signature", signature))
    ///     }
    ///
    /// `next` is a plain client: the closure may ask it once, several times or never. It runs in a task with the priority and the
    /// task-local values of where it begins. That task is cancelled when the call is, or when its time is over, and the
    /// call ends at once, whatever the closure does. What `next` is asked for counts in the dispatcher of the call.
    ///
    /// A blocking call through it keeps its thread until the closure has returned.
    ///
    /// - Parameter intercept: Returns the answer. An `HTTPError` that it throws is the call's; `CancellationError` ends the
    ///   call as `.cancelled`, and any other error as `.interceptor`.
    public init(
        _ intercept: @escaping @Sendable (_ request: Request, _ next: any HTTPClient) async throws -> Response
    ) {
        self.init(wrapping: { SuspendingClient(intercept: intercept, next: $0) })
    }

    /// Applies the step that `make` comes to for each request. It may suspend: an actor's method, a lookup.
    ///
    ///     client.intercepted(by: .applying { request in .header("Signature", try await signer.signature(of: request)) })
    ///
    /// - Parameter make: What it throws ends the call as for a closure that suspends; nothing is sent then.
    public static func applying(
        _ make: @escaping @Sendable (_ request: Request) async throws -> RequestStep
    ) -> Interceptor {
        Interceptor { request, next in
            try await next.response(for: MutableRequest(request) |> (try await make(request)))
        }
    }
}

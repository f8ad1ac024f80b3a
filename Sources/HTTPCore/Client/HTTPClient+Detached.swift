extension HTTPClient {
    /// This client, whose calls outlive their caller: neither a cancelled token or task nor a deadline around a call ends
    /// it. Its own timeouts do, and so does `cancel()` on the handle of a call with a callback.
    ///
    ///     app.detached.call(.saveDraft(text)) { … }     // goes on when the screen is closed that asked for it
    ///
    /// A task that awaits such a call waits for its end, cancelled or not.
    public var detached: any HTTPClient { self is DetachedClient ? self : DetachedClient(next: self) }
}

package struct DetachedClient: TransparentClient {
    package let next: any HTTPClient

    @available(*, noasync)
    package func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        Self.run { next.executeRequest(request) }
    }

    package func surround<Value>(_ operation: () -> Value) -> Value { Self.run(operation) }

    /// Runs `operation` without the token and the deadline around it.
    package static func run<Value>(_ operation: () -> Value) -> Value {
        CancellationToken.$current.withValue(nil) { CallDeadline.$current.withValue(nil, operation: operation) }
    }
}

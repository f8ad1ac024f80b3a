extension HTTPClient {
    /// This client, with calls that outlive their caller: neither a cancelled token or task nor a deadline around a
    /// call ends it. Its own timeouts do, and so does `cancel()` on the handle of a callback call.
    ///
    ///     app.detached.call(.saveDraft(text)) { … }     // continues when the screen that made it is closed
    ///
    /// A task that awaits such a call waits for its end even if cancelled.
    public var detached: any HTTPClient { self is DetachedClient ? self : DetachedClient(next: self) }
}

package struct DetachedClient: TransparentClient {
    package let next: any HTTPClient

    @available(*, noasync)
    package func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        Self.run { next.executeRequest(request) }
    }

    package func surround<Value>(_ operation: () -> Value) -> Value { Self.run(operation) }

    /// Runs `operation` without the ambient token and deadline.
    package static func run<Value>(_ operation: () -> Value) -> Value {
        CancellationToken.$current.withValue(nil) { CallDeadline.$current.withValue(nil, operation: operation) }
    }
}

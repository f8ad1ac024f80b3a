extension HTTPClient {
    /// This client, with calls that outlive their caller: neither a cancelled token or task nor a deadline around a
    /// call ends it. Its own timeouts do, and so does `cancel()` on the handle of a callback call.
    ///
    ///     app.detached.call(.saveDraft(text), callbackQueue: .main) { … }    // goes on when the screen is closed
    ///
    /// A task that awaits such a call waits for its end even if cancelled. Interceptors that are put around this client later
    /// are part of the call, and no caller ends their waits.
    public var detached: any HTTPClient { self is DetachedClient ? self : DetachedClient(next: self) }
}

package struct DetachedClient: BatchingClient, ClockedClient, WrappingClient {
    package let next: any HTTPClient

    package var clock: CallClock { next.callClock }
    package var answersItself: Bool { next.isOffline }
    package var wrapped: any HTTPClient { next }
    package var mayChangeRequests: Bool { false }

    @available(*, noasync)
    package func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        Self.run { next.executeRequest(request) }
    }

    @available(*, noasync)
    package func execute(_ batch: RequestBatch) { Self.run { batch.detached.execute(over: next) } }

    /// Runs `operation` without the ambient token and deadline.
    package static func run<Value>(_ operation: () -> Value) -> Value {
        CancellationToken.$current.withValue(nil) { CallDeadline.$current.withValue(nil, operation: operation) }
    }
}

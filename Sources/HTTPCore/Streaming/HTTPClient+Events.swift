extension HTTPClient {
    /// Reads a stream of server-sent events (WHATWG HTML §9.2) and passes each one to `take`, on this thread. When the
    /// connection ends or breaks, it reconnects as browsers do: after 3 seconds, or after the delay that the stream
    /// last set, but at least after the minimum delay. It sends the last event's id as `Last-Event-ID`.
    ///
    ///     try client.serverSentEvents(of: .get(url)) { event in
    ///         if event.data == "[DONE]" { throw StopReading() }
    ///         print(event.data)
    ///     }
    ///
    /// A request that must not be repeated is sent once, and the end of its stream is the end: one whose method is not
    /// idempotent (RFC 9110 §9.2.2), such as a POST, and that has no Idempotency-Key. There is no reconnection either
    /// if the first connection brings no response, because there may be no server.
    ///
    /// It returns when the server answers 204, when `take` throws `StopReading`, when the call is cancelled, or when
    /// its total timeout expires (there is none unless it is set). It throws an error that a reconnection
    /// would not fix: a status other than 200, a body of another type (`.decoding`, whose response has up to 64 KiB of
    /// it), or an error that `take` throws, which is kept in `BodyFailure.underlying`. Nothing is received while `take`
    /// runs.
    ///
    /// The stream may be quiet for as long as the server likes: once a response has begun, the default idle limit does
    /// not hold. A limit that the request sets does, `.idleTimeout(.seconds(60))`: an idle connection is then opened
    /// again, and after as many of them without an event as the options allow this throws `.timedOut`.
    ///
    /// - Parameters:
    ///   - draft: The request for the stream.
    ///   - options: When to reconnect, and how long an event may be.
    ///   - take: Receives each event, on this thread.
    @available(*, noasync, message: "import HTTPAsync and iterate by for try await")
    public func serverSentEvents(
        of draft: MutableRequest, options: EventStreamOptions = EventStreamOptions(),
        _ take: @escaping @Sendable (ServerSentEvent) throws -> Void
    ) throws(HTTPError) {
        try readEvents(
            of: draft, options.reconnection, eventLimit: options.eventLimit, accepting: options.mediaTypes,
            clock: callClock, take)
    }

    /// The same, with `tell` called for each response before its events.
    @available(*, noasync)
    package func readEvents(
        of draft: MutableRequest, _ reconnection: EventReconnection, eventLimit: Int,
        accepting types: Set<String> = ["text/event-stream"], clock: CallClock,
        telling tell: @escaping @Sendable (ResponseStart) -> Void = { _ in },
        _ take: @escaping @Sendable (ServerSentEvent) throws -> Void
    ) throws(HTTPError) {
        let memory = Locked(EventStreamParser.Memory())
        let progress = Locked(EventProgress())
        let tell: @Sendable (ResponseStart) -> Void = { start in
            progress.withLock { $0.hasBegun = true }
            tell(start)
        }
        let plain =
            draft |> .header("Accept", "text/event-stream") |> .header("Cache-Control", "no-store")
            |> .destination(
                .serverSentEvents(resuming: memory, limit: eventLimit, accepting: types) { event in
                    progress.withLock { $0.eventCount += 1 }
                    do { try take(event) } catch let stop as StopReading {
                        progress.withLock { $0.isEnough = true }
                        throw stop
                    }
                }.telling(tell))
        let call = CallContext(try Request(plain), clock: clock)
        guard let deadline = call.deadline else {
            return try follow(plain, memory, progress, call, reconnection, tell)
        }
        try deadline.run { () throws(HTTPError) in try follow(plain, memory, progress, call, reconnection, tell) }
    }

    @available(*, noasync)
    private func follow(
        _ plain: MutableRequest, _ memory: Locked<EventStreamParser.Memory>, _ progress: Locked<EventProgress>,
        _ call: CallContext, _ reconnection: EventReconnection, _ tell: (ResponseStart) -> Void
    ) throws(HTTPError) {
        var reconnection = reconnection
        reconnection.isRepeatable = call.request.mayBeRepeated
        while true {
            let before = progress.withLock(\.eventCount)
            let outcome = executeRequest(plain |> lastEventID(memory))
            // A response without a body, such as a 204, has not been reported.
            if case .success(let response) = outcome { tell(ResponseStart(response)) }
            let progress = progress.withLock(\.self)
            reconnection.hasBegun = progress.hasBegun
            switch reconnection.step(
                after: outcome, broughtEvents: progress.eventCount > before, isEnough: progress.isEnough,
                retry: memory.withLock { $0.retry })
            {
            case .end(let result): return try result.get()
            case .connect(let delay):
                if let left = call.timeLeft, left <= delay {
                    throw call.timedOut(.betweenAttempts, attempts: 0)
                }
                guard call.clock.wait(until: call.clock.now() + delay) != .cancelled else {
                    throw call.cancelled(.betweenAttempts, attempts: 0)
                }
            }
        }
    }

    private func lastEventID(_ memory: Locked<EventStreamParser.Memory>) -> RequestStep {
        // A field value cannot begin or end with a space (RFC 9110 §5.5).
        let id = String(ASCII.trimmed(memory.withLock { $0.lastEventID }[...]))
        // Nor can it contain control characters: such an id is not sent.
        return .when(!id.isEmpty && ASCII.isFieldValue(id), .header("Last-Event-ID", id))
    }
}

/// The progress of reading a stream over all its connections.
private struct EventProgress {
    var eventCount = 0
    /// Whether any connection brought a response.
    var hasBegun = false
    /// Whether the receiver of the events threw `StopReading`.
    var isEnough = false
}

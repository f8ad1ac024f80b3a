extension HTTPClient {
    /// Reads a stream of server-sent events (WHATWG HTML §9.2) and hands each one to `take`, on this thread. When the
    /// connection ends or breaks it connects again, as browsers do: after 3 seconds or as long as the stream said last,
    /// but not before `minimumDelay`, with the last event's id as `Last-Event-ID`.
    ///
    ///     client.readEvents(of: .get(url)) { event in
    ///         if event.data == "[DONE]" { throw StopReading() }
    ///         print(event.data)
    ///     }
    ///
    /// What may not be repeated is not: a request whose method is not idempotent (RFC 9110 §9.2.2), as a POST, and that has
    /// no Idempotency-Key is sent once, and the end of its stream is the end. So is a first connection that brings no
    /// response: nothing may listen there at all.
    ///
    /// It returns when the server answers 204, when `take` throws `StopReading`, when the call is cancelled or its total
    /// timeout runs out (there is none unless it is set), or when something is wrong that another try would not mend: a
    /// status other than 200, a body of another type, an error that `take` throws, which is kept in
    /// `BodyFailure.underlying`. While `take` works nothing is received.
    ///
    /// - Parameters:
    ///   - draft: The request for the stream.
    ///   - connectionLimit: How many connections there may be in all; nil for no limit, 1 for none but the first.
    ///   - failureLimit: How many connections in a row may break or end without an event; the waits between them double, up
    ///     to a minute.
    ///   - eventLimit: The longest line, and the most data of one event, in bytes; 1 MiB.
    ///   - minimumDelay: The shortest wait before a connection, also where the stream asks for less: half a second, as in
    ///     Firefox. Behind a connection that failed or brought no event it is never shorter than that.
    ///   - take: Gets each event, on this thread.
    @available(*, noasync, message: "iterate over events(of:) of HTTPAsync")
    @discardableResult
    public func readEvents(
        of draft: MutableRequest, connectionLimit: Int? = nil, failureLimit: Int = 5, eventLimit: Int = 1 << 20,
        minimumDelay: Duration = .milliseconds(500), _ take: @escaping @Sendable (ServerSentEvent) throws -> Void
    ) -> Result<Void, HTTPError> {
        let reconnection = EventReconnection(
            limit: failureLimit, connectionLimit: connectionLimit, minimumDelay: minimumDelay)
        return readEvents(of: draft, reconnection, eventLimit: eventLimit, clock: callClock, take)
    }

    /// With `tell` told of each response, before its events come.
    @available(*, noasync)
    package func readEvents(
        of draft: MutableRequest, _ reconnection: EventReconnection, eventLimit: Int, clock: CallClock,
        telling tell: @escaping @Sendable (ResponseStart) -> Void = { _ in },
        _ take: @escaping @Sendable (ServerSentEvent) throws -> Void
    ) -> Result<Void, HTTPError> {
        let memory = Locked(EventStreamParser.Memory())
        let progress = Locked(EventProgress())
        let tell: @Sendable (ResponseStart) -> Void = { start in
            progress.withLock { $0.hasBegun = true }
            tell(start)
        }
        let plain =
            draft |> .header("Accept", "text/event-stream") |> .header("Cache-Control", "no-store")
            |> .destination(
                .events(resuming: memory, limit: eventLimit) { event in
                    progress.withLock { $0.eventCount += 1 }
                    do { try take(event) } catch let stop as StopReading {
                        progress.withLock { $0.isEnough = true }
                        throw stop
                    }
                }.telling(tell))
        let call: CallContext
        do { call = CallContext(try Request(plain), clock: clock) } catch { return .failure(error) }
        return call.deadline.map { deadline in
            deadline.run { follow(plain, memory, progress, call, reconnection, tell) }
        } ?? follow(plain, memory, progress, call, reconnection, tell)
    }

    @available(*, noasync)
    private func follow(
        _ plain: MutableRequest, _ memory: Locked<EventStreamParser.Memory>, _ progress: Locked<EventProgress>,
        _ call: CallContext, _ reconnection: EventReconnection, _ tell: (ResponseStart) -> Void
    ) -> Result<Void, HTTPError> {
        var reconnection = reconnection
        reconnection.isRepeatable = call.request.mayBeRepeated
        while true {
            let before = progress.withLock(\.eventCount)
            let outcome = executeRequest(plain |> lastEventID(memory))
            // A response without a body, as a 204, has not been reported.
            if case .success(let response) = outcome { tell(ResponseStart(response)) }
            let progress = progress.withLock(\.self)
            reconnection.hasBegun = progress.hasBegun
            switch reconnection.step(
                after: outcome, broughtEvents: progress.eventCount > before, isEnough: progress.isEnough,
                retry: memory.withLock { $0.retry })
            {
            case .end(let result): return result
            case .connect(let delay):
                if let left = call.timeLeft, left <= delay {
                    return .failure(call.timedOut(.betweenAttempts, attempts: 0))
                }
                guard call.clock.wait(until: call.clock.now() + delay) != .cancelled else {
                    return .failure(call.cancelled(.betweenAttempts, attempts: 0))
                }
            }
        }
    }

    private func lastEventID(_ memory: Locked<EventStreamParser.Memory>) -> RequestStep {
        // A field cannot begin or end with a space (RFC 9110 §5.5).
        let id = String(ASCII.trimmed(memory.withLock { $0.lastEventID }[...]))
        // Nor can it hold control characters: such an id is not sent, as if there were none.
        return .when(!id.isEmpty && ASCII.isFieldValue(id), .header("Last-Event-ID", id))
    }
}

/// How far the reading of a stream has come, over all of its connections.
private struct EventProgress {
    var eventCount = 0
    /// Whether a response has come on any of them.
    var hasBegun = false
    /// Whether the receiver of the events threw `StopReading`.
    var isEnough = false
}

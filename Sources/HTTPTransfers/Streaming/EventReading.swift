import HTTPSupport

extension StreamFormat where Element == ServerSentEvent {
    /// A stream of server-sent events with the default options; see `serverSentEvents(_:)`.
    public static var serverSentEvents: StreamFormat { .serverSentEvents(EventStreamOptions()) }

    /// A stream of server-sent events (WHATWG HTML §9.2). When the connection ends or breaks, it reconnects as browsers
    /// do: after 3 seconds, or after the delay that the stream last set, but at least after the minimum delay. It sends
    /// the last event's id as `Last-Event-ID`; one that the request has is the first. The request's Accept and
    /// Cache-Control become `text/event-stream` and `no-store`.
    ///
    /// A request that must not be repeated is sent once, and the end of its stream is the end: one whose method is not
    /// idempotent (RFC 9110 §9.2.2), such as a POST, and that has no Idempotency-Key. There is no reconnection either
    /// if the first connection brings no response, because there may be no server.
    ///
    /// The stream ends when the server answers 204, when the reader throws `StopReading` or leaves the loop, when the
    /// call is cancelled, or when its total timeout expires (there is none unless it is set). After as many connections in
    /// a row that break or end within a minute without an event as `EventStreamOptions.failureLimit` says, it fails: with
    /// the error of the last of them, or with `.connection` if that was a whole response. It fails with an error that
    /// a reconnection would not fix, too: a status other than 200 and 204, a body of another type (`.decoding`, whose response
    /// has up to 64 KiB of it), or an error of the reader, which is kept in `BodyFailure.underlying`.
    ///
    /// It may be silent for as long as the server likes: once the stream has begun, the default idle limit does not
    /// hold. A limit that the request sets does, `.idleTimeout(.seconds(60))`: an idle connection is then opened again,
    /// and after as many of them without an event as the options allow the stream fails with `.timedOut`.
    public static func serverSentEvents(_ options: EventStreamOptions) -> StreamFormat {
        StreamFormat(reading: { client, draft, tell, take throws(HTTPError) in
            try client.readEvents(of: draft, options, clock: client.callClock, telling: tell, take)
        })
    }
}

extension HTTPClient {
    /// Reads the stream on this thread, over all its connections, and returns the last response. `tell` is called for each
    /// before its events.
    @available(*, noasync)
    @discardableResult
    package func readEvents(
        of draft: MutableRequest, _ options: EventStreamOptions = EventStreamOptions(), clock: CallClock,
        telling tell: @escaping @Sendable (ResponseStart) -> Void = { _ in },
        _ take: @escaping @Sendable (ServerSentEvent) throws -> Void
    ) throws(HTTPError) -> Response {
        let memory = Locked(EventStreamParser.Memory(lastEventID: draft.headers[Self.lastEventIDName] ?? ""))
        let progress = Locked(EventProgress())
        let tell: @Sendable (ResponseStart) -> Void = { start in
            progress.withLock { $0.hasBegun = true }
            // The head of a refusal is not that of the stream.
            if start.status == .ok || start.status == .noContent { tell(start) }
        }
        let plain =
            draft |> .header("Accept", "text/event-stream") |> .header("Cache-Control", "no-store")
            |> .destination(
                .serverSentEvents(
                    resuming: memory, limit: options.limit, accepting: options.accepting, only: .ok
                ) { event in
                    progress.withLock { $0.eventCount += 1 }
                    do { try take(event) } catch let stop as StopReading {
                        progress.withLock { $0.isEnough = true }
                        throw stop
                    }
                }.telling(tell))
            // Its head is that of the first connection only.
            |> .setting(DeliveryKey.self, to: nil)
        let request = try Request(plain)
        let start = clock.now()
        // The timeout counts from the beginning, so it covers every wait and every connection.
        let deadline = clock.deadline(of: request.timeouts, from: start)
        var attempts = 0
        // Of a call that ends between two connections.
        func record() -> CallRecord {
            var record = CallRecord(unsent: request, phase: .betweenAttempts)
            record.metrics.attemptCount = attempts
            record.metrics.total = start.duration(to: clock.now())
            return record
        }
        func follow() throws(HTTPError) -> Response {
            var reconnection = EventReconnection(options, isRepeatable: request.mayBeRepeated)
            while true {
                let before = progress.withLock(\.eventCount)
                let began = clock.now()
                let outcome = executeRequest(plain |> lastEventID(memory))
                attempts += outcome.attempts
                // A response without a body, such as a 204, has not been reported.
                if case .success(let response) = outcome { tell(ResponseStart(response)) }
                let progress = progress.withLock(\.self)
                switch reconnection.step(
                    after: outcome, lasted: began.duration(to: clock.now()), hasHead: progress.hasBegun,
                    broughtEvents: progress.eventCount > before, isEnough: progress.isEnough,
                    retry: memory.withLock { $0.retry })
                {
                case .end(let result): return try result.get()
                case .giveUp(let count): throw .fruitless(count, record())
                case .connect(let delay):
                    if let deadline, clock.now().duration(to: deadline.point) <= delay {
                        let blockedBy = "the next connection of its stream is due in \(delay.text)"
                        throw .timedOut(deadline, record(), blockedBy: blockedBy)
                    }
                    guard clock.wait(until: clock.now() + delay) != .cancelled else { throw .cancelled(record()) }
                }
            }
        }
        return try deadline.run(follow)
    }

    private static var lastEventIDName: String { "Last-Event-ID" }

    /// In place of the caller's, which the stream may have changed or taken back.
    private func lastEventID(_ memory: Locked<EventStreamParser.Memory>) -> RequestStep {
        // A field value cannot begin or end with a space (RFC 9110 §5.5).
        let id = String(ASCII.trimmed(memory.withLock { $0.lastEventID }[...]))
        // Nor can it contain control characters: such an id is not sent.
        return .removingHeader(Self.lastEventIDName)
            |> .when(!id.isEmpty && ASCII.isFieldValue(id), .crossing(Self.lastEventIDName, id))
    }
}

extension HTTPError {
    /// The end of a stream whose last `count` connections were answered, and brought no event.
    fileprivate static func fruitless(_ count: Int, _ record: CallRecord) -> HTTPError {
        var failure = ConnectionFailure(.other, mayHaveBeenProcessed: true, record: record)
        let times = count == 1 ? "" : " \(count) times in a row"
        failure.detail = "ended the stream\(times) without an event: a server ends one for good with 204"
        return .connection(failure)
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

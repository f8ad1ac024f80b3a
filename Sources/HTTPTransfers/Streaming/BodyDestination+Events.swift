import HTTPSupport

extension BodyDestination {
    /// Passes each event of a `text/event-stream` (server-sent events, WHATWG HTML §9.2) to `take` as it arrives, on
    /// the thread of the call. A body of another type fails the call with `.decoding`, whose response has up to 64 KiB
    /// of it.
    ///
    /// The stream may be silent for as long as the server likes: once the stream has begun, the default idle limit of
    /// 30 seconds does not hold. A limit that the request sets does, `.idleTimeout(.seconds(60))`. `CurlTransport` finds
    /// a dead server by keep-alive probes, within about two minutes.
    ///
    /// It reads one response; `HTTPClient.stream(_:as:)` also reconnects. Nothing is received while `take` runs. A thrown
    /// error ends the call and is kept in `BodyFailure.underlying`.
    ///
    /// - Parameters:
    ///   - limit: The maximum length of a line, and of the data of one event, in bytes; 1 MiB by default.
    ///   - types: The media types that are read as events.
    ///   - take: Receives each event.
    public static func serverSentEvents(
        limit: Int = 1 << 20, accepting types: Set<String> = ["text/event-stream"],
        _ take: @escaping @Sendable (ServerSentEvent) throws -> Void
    ) -> BodyDestination {
        serverSentEvents(resuming: Locked(EventStreamParser.Memory()), limit: limit, accepting: types, take)
    }

    /// The state of the stream is read from `memory` and stored there. A stream of another status than `status`, if that
    /// is given, fails the call before its first event.
    static func serverSentEvents(
        resuming memory: Locked<EventStreamParser.Memory>, limit: Int, accepting types: Set<String>,
        only status: HTTPStatus? = nil, _ take: @escaping @Sendable (ServerSentEvent) throws -> Void
    ) -> BodyDestination {
        .stream(of: "stream of events", accepting: types) { start in
            if let status, start.status != status { throw start.statusFault }
            var parser = EventStreamParser(resuming: memory.withLock { $0 }, eventLimit: limit)
            return BodySink { bytes in
                let (events, tooLong) = bytes.withMemoryRebound(to: UInt8.self) { parser.parse($0) }
                let current = parser.memory
                memory.withLock { $0 = current }
                for event in events { try take(event) }
                if let tooLong {
                    throw StreamReadingError(
                        "an event is longer than the limit of \(tooLong.limit) bytes: give a higher one")
                }
            }
        }.quiet(for: types)
    }
}

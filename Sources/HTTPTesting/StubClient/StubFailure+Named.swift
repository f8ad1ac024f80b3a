public import HTTPCore

/// Before anything is sent.
extension StubFailure {
    /// The request breaks a rule: `.invalidRequest` with this reason.
    public static func invalidRequest(_ reason: String) -> StubFailure {
        StubFailure("invalidRequest", phase: .starting) { request, _ in
            .invalidRequest(InvalidRequest(MutableRequest(request), reason))
        }
    }

    /// The engine cannot do what is asked for: `.unsupported` with this feature and reason.
    public static func unsupported(_ feature: String, _ reason: String) -> StubFailure {
        StubFailure("unsupported", phase: .starting) { _, _ in .unsupported(Unsupported(feature, reason)) }
    }

    /// Too many calls wait, or the system refuses to start a thread.
    public static func overloaded(_ reason: Overload.Reason = .queueFull) -> StubFailure {
        StubFailure("overloaded(\(reason))", phase: .queued) { _, record in
            .overloaded(Overload(reason, limit: 10_000, queued: 10_000, record: record))
        }
    }
}

/// In place of a way to the server.
extension StubFailure {
    /// The request says only-if-cached, and a cache has nothing that it may get.
    public static func notCached(_ reason: CacheStatus.Forward = .uriMiss) -> StubFailure {
        StubFailure("notCached(\(reason))", phase: .starting) { _, record in
            .notCached(NotCached(reason, record: record))
        }
    }
}

/// On the way to the server.
extension StubFailure {
    /// The host has no address.
    public static let unknownHost = StubFailure("unknownHost", phase: .resolving) { request, record in
        .resolution(ResolutionFailure(host: request.url.host, record: record))
    }

    /// The host has an address, 127.0.0.1, that the transport's `DestinationPolicy` refuses by `rule`.
    public static func destinationRefused(_ rule: DestinationFailure.Rule = .loopback) -> StubFailure {
        StubFailure("destinationRefused(\(rule))", phase: .connecting) { request, record in
            .destinationRefused(
                DestinationFailure(
                    rule, host: request.url.host, address: "127.0.0.1", port: request.url.port, record: record))
        }
    }

    /// Nothing accepts connections there.
    public static let connectionRefused = connection(.refused, phase: .connecting)

    /// No way leads there, as without a network.
    public static let hostUnreachable = connection(.unreachable, phase: .connecting)

    /// The server closed the connection before it answered.
    public static let connectionClosed = connection(.closedBeforeResponse, phase: .waiting)

    /// The connection broke in the middle of the answer.
    public static let connectionBroken = connection(.broken, phase: .receiving)

    /// The connection fails for `reason`, in the phase in which that happens.
    public static func connection(_ reason: ConnectionFailure.Reason) -> StubFailure {
        switch reason {
        case .refused, .unreachable, .proxy, .outOfDescriptors, .other: connection(reason, phase: .connecting)
        case .closedBeforeResponse: connection(reason, phase: .waiting)
        case .broken: connection(reason, phase: .receiving)
        }
    }

    private static func connection(_ reason: ConnectionFailure.Reason, phase: CallPhase) -> StubFailure {
        StubFailure("connection(\(reason))", phase: phase) { _, record in
            .connection(ConnectionFailure(reason, mayHaveBeenProcessed: phase != .connecting, record: record))
        }
    }

    /// The TLS handshake failed, or the server could not be trusted.
    public static func tls(_ reason: TLSFailure.Reason) -> StubFailure {
        StubFailure("tls(\(reason))", phase: .securing) { _, record in .tls(TLSFailure(reason, record: record)) }
    }
}

/// At any time.
extension StubFailure {
    /// As if somebody had cancelled the call; its token is not touched.
    public static let cancelled = StubFailure("cancelled", phase: .waiting) { _, record in .cancelled(record) }

    /// A limit of time ran out, after as much simulated time as the request grants: until it was connected, between two
    /// bytes, or for the whole call.
    public static func timedOut(_ limit: TimeoutFailure.Limit) -> StubFailure {
        StubFailure("timedOut(\(limit))", phase: limit == .connect ? .connecting : .waiting, limit: limit) {
            .timedOut(TimeoutFailure(limit, after: $0.timeouts.duration(of: limit), record: $1))
        }
    }
}

extension Timeouts {
    /// How long a limit is; where the request sets none, what it is by default.
    func duration(of limit: TimeoutFailure.Limit) -> Duration {
        switch limit {
        case .connect: connect ?? .seconds(10)
        case .idle: idle ?? .seconds(30)
        case .total: total ?? .seconds(60)
        }
    }
}

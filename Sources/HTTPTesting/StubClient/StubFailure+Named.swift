/// Failures before anything is sent.
extension StubFailure {
    /// The request is invalid: `.invalidRequest` with this reason.
    public static func invalidRequest(_ reason: String) -> StubFailure {
        StubFailure("invalidRequest", phase: .starting) { request, _ in
            .invalidRequest(InvalidRequest(MutableRequest(request), reason))
        }
    }

    /// The engine lacks a feature: `.unsupported` with this feature and reason.
    public static func unsupported(_ feature: String, _ reason: String) -> StubFailure {
        StubFailure("unsupported", phase: .starting) { _, _ in .unsupported(Unsupported(feature, reason)) }
    }
}

/// Failures in place of a connection.
extension StubFailure {
    /// A failure that a policy or an adapter adds: `Overload`, `BrokenPromise`, one of your own. It gets the record of
    /// the request if it has one.
    public static func other(_ failure: any OtherFailure) -> StubFailure {
        StubFailure("other(\(failure.name))", phase: .queued) { _, record in
            var failure = failure
            if failure.record != nil { failure.record = record }
            return .other(failure)
        }
    }

    /// A failure that needs the record of its call: `.other { NotCached(.uriMiss, record: $0) }`.
    public static func other(_ failure: @escaping @Sendable (CallRecord) -> any OtherFailure) -> StubFailure {
        StubFailure("other", phase: .queued) { _, record in .other(failure(record)) }
    }
}

/// Failures while connecting.
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

    /// The connection fails for `reason`, in the corresponding phase.
    public static func connection(_ reason: ConnectionFailure.Reason) -> StubFailure {
        let phase: CallActivity =
            switch reason {
            case .refused, .unreachable, .proxy, .outOfDescriptors, .other: .connecting
            case .closedBeforeResponse, .tooManyRequests, .unprocessed: .waiting
            case .broken: .receiving
            }
        return StubFailure("connection(\(reason))", phase: phase) { _, record in
            let isUncertain = phase != .connecting && reason != .unprocessed
            return .connection(ConnectionFailure(reason, mayHaveBeenProcessed: isUncertain, record: record))
        }
    }

    /// The TLS handshake failed, or the server was not trusted.
    public static func tls(_ reason: TLSFailure.Reason) -> StubFailure {
        StubFailure("tls(\(reason))", phase: .securing) { _, record in .tls(TLSFailure(reason, record: record)) }
    }
}

/// Failures at any time.
extension StubFailure {
    /// As if the call had been cancelled; its token is not changed.
    public static let cancelled = StubFailure("cancelled", phase: .waiting) { _, record in .cancelled(record) }

    /// A timeout expired, after as much simulated time as the request allows: until it was connected, between two
    /// bytes, or in total.
    public static func timedOut(_ limit: TimeoutFailure.Limit) -> StubFailure {
        StubFailure("timedOut(\(limit))", phase: limit == .connect ? .connecting : .waiting, limit: limit) {
            .timedOut(TimeoutFailure(limit, after: $0.timeouts.duration(of: limit), record: $1))
        }
    }
}

extension Timeouts {
    /// The length of a timeout; the default if the request sets none.
    func duration(of limit: TimeoutFailure.Limit) -> Duration {
        switch limit {
        case .connect: connect ?? .seconds(10)
        case .idle: idle ?? .seconds(30)
        case .total: total ?? .seconds(60)
        }
    }
}

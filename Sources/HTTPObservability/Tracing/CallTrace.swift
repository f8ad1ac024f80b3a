import HTTPSupport

/// The spans of a call in progress: one for the call, with a child for each exchange.
final class CallTrace: Sendable {
    /// The context of the call's own span, or the caller's if nothing is recorded.
    let context: TraceContext
    private let parent: SpanID?
    private let isRecorded: Bool
    private let clock: CallClock
    private let start: TimePoint
    /// In nanoseconds since 1970.
    private let startTime: UInt64
    private let exchanges = Locked<(spans: [OpenSpan], lastNumber: Int)>(([], 0))

    private struct OpenSpan {
        let number: Int
        let context: TraceContext
        var start: Duration
        var request: Request?
        var attempt: CallAttempt?
    }

    /// The maximum number of spans that are kept.
    private static let limit = 256

    init(within outer: TraceContext?, isRecorded: Bool, at moment: PolicyMoment) {
        let context = outer.map { isRecorded ? $0.child() : $0 } ?? .root(isSampled: isRecorded)
        self.context = context
        parent = outer?.spanID
        self.isRecorded = isRecorded && context.isSampled
        clock = moment.call.clock
        start = moment.time
        // Three centuries at most, as all spans of time: a simulated clock may show any time.
        startTime = UInt64(min(max(0, moment.unixTime) * 1e9, 9e18))
    }

    /// Begins exchange `number` and returns the context that it sends.
    func beginAttempt(_ number: Int) -> TraceContext {
        guard isRecorded else { return context }
        let exchange = OpenSpan(number: number, context: context.child(), start: start.duration(to: clock.now()))
        exchanges.withLock {
            $0.lastNumber = number
            if $0.spans.count < Self.limit { $0.spans.append(exchange) }
        }
        return exchange.context
    }

    func take(_ event: CallEvent) {
        guard isRecorded else { return }
        if case .attemptStarted(let request, let id) = event { change(id.number) { $0.request = request } }
        if case .attemptFinished(let attempt, let id) = event {
            // It began a little before it asked for its context.
            let begin = start.duration(to: clock.now()) - attempt.timings.complete
            change(id.number) { ($0.attempt, $0.start) = (attempt, min($0.start, max(.zero, begin))) }
        }
    }

    private func change(_ number: Int, _ change: (inout OpenSpan) -> Void) {
        exchanges.withLock { exchanges in
            guard let place = exchanges.spans.lastIndex(where: { $0.number == number }) else { return }
            change(&exchanges.spans[place])
        }
    }

    /// The spans of a call that ended with `outcome`, the call's own first. Empty if nothing is recorded.
    func spans(_ request: Request, _ outcome: Result<Response, HTTPError>, at now: TimePoint)
        -> [TraceSpan]
    {
        guard isRecorded else { return [] }
        let exchanges = exchanges.withLock { $0 }
        return [span(request, outcome, until: start.duration(to: now))]
            + exchanges.spans.compactMap { span($0, endedBy: $0.number == exchanges.lastNumber ? outcome : nil) }
    }

    private func span(_ request: Request, _ outcome: Result<Response, HTTPError>, until end: Duration) -> TraceSpan {
        var span = TraceSpan(
            name: "\(TraceSpan.name(request.method)) call", kind: .internal, traceID: context.traceID,
            spanID: context.spanID, parentID: parent, traceState: context.state, start: startTime, end: time(end),
            attributes: TraceSpan.attributes(of: request), error: nil)
        switch outcome {
        case .success(let response): span.set(response.status)
        case .failure(let error):
            if case .unacceptableStatus(let response) = error { span.set(response.status) }
            // A policy may refuse any status.
            if span.error == nil { span.fail(error.name, error.description) }
        }
        return span
    }

    /// - Parameter outcome: That of the call, for its last exchange.
    private func span(_ exchange: OpenSpan, endedBy outcome: Result<Response, HTTPError>?) -> TraceSpan? {
        guard let request = exchange.request, let attempt = exchange.attempt else { return nil }
        var span = TraceSpan(
            name: TraceSpan.name(request.method), kind: .client, traceID: context.traceID,
            spanID: exchange.context.spanID, parentID: context.spanID, traceState: context.state,
            start: time(exchange.start), end: time(exchange.start + attempt.timings.complete),
            attributes: TraceSpan.attributes(of: request), error: nil)
        if exchange.number > 1 { span.attributes["http.request.resend_count"] = .int(Int64(exchange.number - 1)) }
        if let address = attempt.remoteAddress { span.attributes["network.peer.address"] = .string(address) }
        if let port = attempt.remotePort { span.attributes["network.peer.port"] = .int(Int64(port)) }
        // After an exchange that failed, a cache may have given what it had stored.
        if case .answered = attempt.outcome, let version = outcome?.answer?.version {
            span.attributes["network.protocol.name"] = .string("http")
            span.attributes["network.protocol.version"] = .string(String("\(version)".dropFirst("HTTP/".count)))
        }
        switch attempt.outcome {
        case .answered(let status): span.set(status)
        case .failed(_, let reason):
            var type = TraceSpan.errorType(reason)
            if type == nil, case .failure(let error)? = outcome { type = error.name }
            span.fail(type ?? "_OTHER", reason)
        }
        return span
    }

    private func time(_ offset: Duration) -> UInt64 { startTime + UInt64(max(0, TimeSpan(offset).nanoseconds)) }
}

extension Interceptor {
    /// Puts every call into the trace that surrounds it (`TraceContext.current`), and hands its spans to `export`.
    ///
    ///     client.intercepted(by: .trace { spans in exporter.add(spans) }, .retry())
    ///
    /// The context is taken where the call is made. Each exchange, those of redirects and of retries listed behind this
    /// too, carries a `traceparent` with a span id of its own, and the `tracestate`, in place of what the request had. One
    /// that a redirect leads to another origin carries neither. When the call is over, `export` gets one span for the call
    /// and one within it for each exchange, of the first 256; nothing where the trace is not sampled. Outside of any trace
    /// a new one begins.
    ///
    /// Without `export` there are no spans: the caller's context is sent on as it is, and nothing outside of a trace.
    ///
    /// Where one of these lies within another, its call is a span within the other's, and the exchanges are in its spans alone:
    /// each span is exported once, and together they are one tree. One without `export` leaves that to the other.
    ///
    /// `export` runs on the thread of the call, or for awaited calls on one that makes others', too: keep it short. URLs
    /// and errors in spans have their secrets masked.
    public static func trace(_ export: (@Sendable ([TraceSpan]) -> Void)? = nil) -> Interceptor {
        Interceptor(TracePolicy(export: export))
    }
}

private struct TracePolicy: PreparedPolicy {
    let export: (@Sendable ([TraceSpan]) -> Void)?
    private var outer: TraceContext?
    private var trace: CallTrace?

    init(export: (@Sendable ([TraceSpan]) -> Void)?) { self.export = export }

    mutating func prepare() { outer = .current }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started:
            let enclosing = moment.request.observer?.traceContext
            guard export != nil || (outer != nil && enclosing == nil) else { return .send(moment.request) }
            let trace = CallTrace(within: enclosing ?? outer, isRecorded: export != nil, at: moment)
            self.trace = trace
            return .send(
                moment.request.observed(
                    by: CallObserver(outer: moment.request.observer, trace: trace) { trace.take($0) }))
        case .answered(let outcome):
            if let trace, let export {
                let spans = trace.spans(moment.request, outcome, at: moment.now)
                if !spans.isEmpty { export(spans) }
            }
            return .finish(outcome)
        case .resumed: return .send(moment.request)
        case .interrupted(let error): return .finish(.failure(error))
        }
    }
}

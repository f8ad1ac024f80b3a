extension Interceptor {
    /// Adds every call to the current trace (`TraceContext.current`), and passes its spans to `export`.
    ///
    ///     client.intercepted(by: .trace { spans in exporter.add(spans) }, .retry())
    ///
    /// The context is read where the call starts. Each exchange, including redirects and the retries of an interceptor
    /// after this one, sends a `traceparent` with its own span id and the `tracestate`, which replace those of the
    /// request. After a redirect to another origin, neither is sent. When the call ends, `export` gets one span for the
    /// call and a child for each of the first 256 exchanges; nothing if the trace is not sampled. A call outside of any
    /// trace starts a new one.
    ///
    /// Without `export` there are no spans: the caller's context is sent unchanged, and outside of a trace nothing is
    /// sent.
    ///
    /// If one `.trace` is inside another, its call is a child of the outer span, and only the inner one exports the
    /// exchanges: each span is exported once, and all of them form one tree. An inner one without `export` leaves the
    /// exchanges to the outer.
    ///
    /// `export` runs on the thread of the call. Awaited calls share that thread, so keep it short. Secrets in URLs and
    /// errors are masked.
    public static func trace(_ export: (@Sendable ([TraceSpan]) -> Void)? = nil) -> Interceptor {
        Interceptor(TracePolicy(export: export))
    }
}

private struct TracePolicy: PreparedPolicy, PassingPolicy, ForeseeablePolicy {
    let export: (@Sendable ([TraceSpan]) -> Void)?
    var outer: TraceContext?
    var trace: CallTrace?

    mutating func prepare() { outer = .current }

    mutating func before(_ moment: PolicyMoment) -> PolicyStep {
        let enclosing = moment.request.observer?.traceContext
        guard export != nil || (outer != nil && enclosing == nil) else { return .pass }
        let trace = CallTrace(within: enclosing ?? outer, isRecorded: export != nil, at: moment)
        self.trace = trace
        let observed = CallObserver.Trace(trace.context, beginAttempt: trace.beginAttempt)
        return .send(
            moment.request.observed(by: CallObserver(outer: moment.request.observer, trace: observed, trace.take)))
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        if let trace, let export {
            let spans = trace.spans(moment.request, outcome, at: moment.time)
            if !spans.isEmpty { export(spans) }
        }
        return outcome
    }
}

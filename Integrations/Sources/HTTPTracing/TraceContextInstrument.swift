public import HTTPCore
public import Tracing

/// Passes W3C Trace Context on where there is no tracer: a service that records no spans of its own still keeps the trace of
/// its caller in one piece.
///
///     InstrumentationSystem.bootstrap(TraceContextInstrument())
///
/// It reads `traceparent` and `tracestate` into `ServiceContext.traceContext`, and writes that of the current context.
public struct TraceContextInstrument: Instrument {
    /// An instrument, which has no settings.
    public init() {}

    /// Reads the fields. Without a `traceparent` that keeps the rules `context` is left as it is.
    public func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let parent = extractor.extract(key: "traceparent", from: carrier),
            let read = TraceContext(
                traceparent: parent, tracestate: extractor.extract(key: "tracestate", from: carrier))
        else { return }
        context.traceContext = read
    }

    /// Writes the fields; none without a trace context.
    public func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.traceContext else { return }
        injector.inject(trace.traceparent, forKey: "traceparent", into: &carrier)
        if !trace.state.isEmpty { injector.inject(trace.state, forKey: "tracestate", into: &carrier) }
    }
}

extension ServiceContext {
    /// The position in a W3C trace; nil outside of one.
    public var traceContext: TraceContext? {
        get { self[TraceContextKey.self] }
        set { self[TraceContextKey.self] = newValue }
    }
}

private enum TraceContextKey: ServiceContextKey {
    typealias Value = TraceContext
    static let nameOverride: String? = "traceparent"
}

import HTTPCore
import InMemoryTracing
import Tracing

/// The in-memory tracer of swift-distributed-tracing, which writes and reads W3C Trace Context as real ones do.
struct W3CTracer: Tracer {
    let memory = InMemoryTracer(
        idGenerator: .init(nextTraceID: { "\(TraceID.random())" }, nextSpanID: { "\(SpanID.random())" }))

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> InMemorySpan {
        memory.startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function, file: fileID, line: line
        )
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    )
    where Inject.Carrier == Carrier {
        guard let span = context.inMemorySpanContext else { return }
        injector.inject("00-\(span.traceID)-\(span.spanID)-01", forKey: "traceparent", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard
            let parent = extractor.extract(key: "traceparent", from: carrier).flatMap({ TraceContext(traceparent: $0) })
        else { return }
        context.inMemorySpanContext = InMemorySpanContext(
            traceID: "\(parent.traceID)", spanID: "\(parent.spanID)", parentSpanID: nil)
    }

    var spans: [FinishedInMemorySpan] { memory.finishedSpans }
}

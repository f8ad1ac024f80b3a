// The recipes of docs/observability.md, against stand-ins of the public signatures of swift-log, swift-metrics and
// swift-distributed-tracing.
import HTTPAsync
import HTTPCore

struct Logger: Sendable {
    struct Message: ExpressibleByStringInterpolation { init(stringLiteral value: String) {} }

    enum MetadataValue: ExpressibleByStringInterpolation {
        case string(String)
        init(stringLiteral value: String) { self = .string(value) }
    }

    typealias Metadata = [String: MetadataValue]

    func info(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
    func warning(_ message: @autoclosure () -> Message, metadata: @autoclosure () -> Metadata? = nil) {}
}

final class Timer: Sendable {
    init(label: String, dimensions: [(String, String)] = []) {}
    func recordNanoseconds(_ duration: Int64) {}
}

struct ServiceContext: Sendable { @TaskLocal static var current: ServiceContext? }

protocol Injector<Carrier>: Sendable {
    associatedtype Carrier
    func inject(_ value: String, forKey key: String, into carrier: inout Carrier)
}

protocol Instrument: Sendable {
    func inject<Carrier, Inject: Injector>(_ context: ServiceContext, into carrier: inout Carrier, using injector: Inject)
    where Inject.Carrier == Carrier
}

enum InstrumentationSystem {
    struct None: Instrument {
        func inject<Carrier, Inject: Injector>(
            _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
        ) where Inject.Carrier == Carrier {}
    }

    static var instrument: any Instrument { None() }
}

struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) { carrier[key] = value }
}

func clients(_ client: any HTTPClient, _ collector: any HTTPClient, _ logger: Logger) -> [any HTTPClient] {
    let logged = client.intercepted(by: .log { line in logger.info("\(line)") })
    let explained = client.intercepted(by: .events { event in
        guard case .finished(_, .failure(let error), _, let id) = event else { return }
        logger.warning("\(error.explanation)", metadata: ["call": "\(id)"])
    })
    let measured = client.intercepted(by: .events { event in
        guard case .attemptFinished(let attempt, _) = event else { return }
        let status = attempt.status.map { "\($0.rawValue)" } ?? "none"
        Timer(label: "http_client_attempt", dimensions: [("host", attempt.authority), ("status", status)])
            .recordNanoseconds(Int64(attempt.timings.complete / .nanoseconds(1)))
    })
    let exporting = client.intercepted(by: .trace { spans in
        let body = OTLP.json(spans, service: "orders")
        collector.executeRequest(
            .post("http://localhost:4318/v1/traces") |> .body(.data(body, contentType: "application/json")),
            callbackQueue: .immediate) { _ in }
    })
    return [logged, explained, measured, exporting]
}

func traced<Value>(_ operation: () throws -> Value) rethrows -> Value {
    var fields: [String: String] = [:]
    if let context = ServiceContext.current {
        InstrumentationSystem.instrument.inject(context, into: &fields, using: FieldInjector())
    }
    let context = fields["traceparent"].flatMap { TraceContext(traceparent: $0, tracestate: fields["tracestate"]) }
    return try TraceContext.$current.withValue(context, operation: operation)
}

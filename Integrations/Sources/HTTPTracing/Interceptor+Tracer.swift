public import HTTPCore
import HTTPObservability
public import Tracing

extension Interceptor {
    /// A span of swift-distributed-tracing for every call, which the server that answers can join.
    ///
    ///     let client = CurlTransport().intercepted(by: .traced(), .retry())           // a span a call
    ///     let client = CurlTransport().intercepted(by: .retry(), .traced())           // a span an attempt
    ///
    /// The span is a child of `ServiceContext.current` where the call begins. The tracer writes its context into the header
    /// fields of the request, as `traceparent` if it speaks W3C Trace Context; these replace fields of the same names.
    /// A redirect to another origin does not carry them on.
    ///
    /// Name, kind and attributes are those of OpenTelemetry's conventions for HTTP clients. From status 400 on, and for an
    /// error, the span's status is `error`. Secrets in URLs are masked.
    ///
    /// - Parameter instrument: The tracer; nil for the bootstrapped one, asked for at each call. An instrument that is no
    ///   tracer, such as `TraceContextInstrument`, passes the caller's trace on and makes no spans.
    public static func traced(by instrument: (any Instrument)? = nil) -> Interceptor {
        Interceptor(TracerPolicy(instrument: instrument))
    }
}

/// Others are `_OTHER`.
private let knownMethods: Set<HTTPMethod> = [
    .connect, .delete, .get, .head, .options, .patch, .post, .put, .query, .trace,
]

private struct TracerPolicy: PreparedPolicy, PassingPolicy {
    private let chosen: (any Instrument)?
    private let chosenTracer: (any Tracer)?
    private var context = ServiceContext.topLevel
    private var span: (any Span)?

    init(instrument: (any Instrument)?) { (chosen, chosenTracer) = (instrument, instrument as? any Tracer) }

    mutating func prepare() { context = .current ?? .topLevel }

    mutating func before(_ moment: PolicyMoment) -> PolicyStep {
        let tracer = chosen == nil ? InstrumentationSystem.tracer : chosenTracer
        let method = moment.request.method
        let isKnown = knownMethods.contains(method)
        span = tracer?.startAnySpan(isKnown ? method.rawValue : "HTTP", context: context, ofKind: .client)
        span?.updateAttributes { attributes in
            attributes["http.request.method"] = isKnown ? method.rawValue : "_OTHER"
            if !isKnown { attributes["http.request.method_original"] = method.rawValue }
            attributes["url.full"] = "\(moment.request.url)"
            // An IPv6 address without its brackets.
            attributes["server.address"] = moment.request.url.host.filter { !"[]".contains($0) }
            attributes["server.port"] = moment.request.url.port
        }
        var fields = HTTPHeaders()
        (chosen ?? InstrumentationSystem.instrument).inject(
            span?.context ?? context, into: &fields, using: HTTPHeadersInjector())
        guard !fields.isEmpty else { return .pass }
        do throws(HTTPError) {
            return .send(
                try Request(fields.reduce(MutableRequest(moment.request)) { $0 |> .header($1.name, $1.value) }))
        } catch {
            end(.failure(error))
            return .finish(.failure(error))
        }
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        end(outcome)
        return outcome
    }

    private func end(_ outcome: Result<Response, HTTPError>) {
        guard let span else { return }
        let (status, errorType): (HTTPStatus?, String?)
        switch outcome {
        case .success(let response):
            (status, errorType) = (response.status, response.status >= 400 ? "\(response.status.rawValue)" : nil)
            span.attributes["network.protocol.version"] = String("\(response.version)".dropFirst("HTTP/".count))
        case .failure(let error):
            (status, errorType) = (error.status, error.name)
            span.recordError(error)
        }
        span.attributes["http.response.status_code"] = status?.rawValue
        if let errorType {
            span.attributes["error.type"] = errorType
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }
}

/// Writes what a tracer propagates into header fields.
public struct HTTPHeadersInjector: Injector {
    /// An injector, which has no settings.
    public init() {}

    /// Sets the field `key`, which replaces fields of that name.
    public func inject(_ value: String, forKey key: String, into carrier: inout HTTPHeaders) {
        carrier.set(value, for: key)
    }
}

/// Reads what a tracer has propagated from header fields.
///
///     var context = ServiceContext.topLevel
///     InstrumentationSystem.instrument.extract(request.headers, into: &context, using: HTTPHeadersExtractor())
public struct HTTPHeadersExtractor: Extractor {
    /// An extractor, which has no settings.
    public init() {}

    /// The value of the fields `key`, joined by commas if there are several; nil if there are none.
    public func extract(key: String, from carrier: HTTPHeaders) -> String? { carrier.combinedValue(for: key) }
}

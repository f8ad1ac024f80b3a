#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Spans in the format that OpenTelemetry collectors accept by HTTP: an `ExportTraceServiceRequest` in JSON (OTLP 1.3, "JSON
/// Protobuf Encoding"), for a POST to `/v1/traces`.
///
///     client.executeRequest(.post("http://localhost:4318/v1/traces")
///         |> .body(.data(OTLP.json(spans, service: "orders"), contentType: "application/json")))
public enum OTLP {
    /// The spans as one resource.
    ///
    /// - Parameters:
    ///   - spans: In any order.
    ///   - service: The `service.name` of the resource.
    public static func json(_ spans: [TraceSpan], service: String) -> Data {
        let document = Document(
            resourceSpans: [
                ResourceSpans(
                    resource: Resource(attributes: [Attribute("service.name", .string(service))]),
                    scopeSpans: [ScopeSpans(scope: Scope(name: "straightline"), spans: spans.map(Span.init))])
            ])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding cannot fail: all values are texts and integers.
        return (try? encoder.encode(document)) ?? Data()
    }

    private struct Document: Encodable { let resourceSpans: [ResourceSpans] }

    private struct ResourceSpans: Encodable {
        let resource: Resource
        let scopeSpans: [ScopeSpans]
    }

    private struct Resource: Encodable { let attributes: [Attribute] }

    private struct ScopeSpans: Encodable {
        let scope: Scope
        let spans: [Span]
    }

    private struct Scope: Encodable { let name: String }

    /// OTLP writes ids in hexadecimal and 64-bit numbers as text.
    private struct Span: Encodable {
        let traceId: String
        let spanId: String
        let parentSpanId: String?
        let traceState: String?
        let name: String
        let kind: Int
        let startTimeUnixNano: String
        let endTimeUnixNano: String
        let attributes: [Attribute]
        let status: Status

        init(_ span: TraceSpan) {
            traceId = "\(span.traceID)"
            spanId = "\(span.spanID)"
            parentSpanId = span.parentID.map { "\($0)" }
            traceState = span.traceState.isEmpty ? nil : span.traceState
            name = span.name
            kind =
                switch span.kind {
                case .internal: 1
                case .client: 3
                }
            startTimeUnixNano = "\(span.start)"
            endTimeUnixNano = "\(span.end)"
            attributes = span.attributes.sorted { $0.key < $1.key }.map { Attribute($0.key, $0.value) }
            status = Status(code: span.error == nil ? 0 : 2, message: span.error?.isEmpty == false ? span.error : nil)
        }
    }

    private struct Status: Encodable {
        let code: Int
        let message: String?
    }

    private struct Attribute: Encodable {
        let key: String
        let value: Value

        init(_ key: String, _ value: TraceSpan.Value) {
            self.key = key
            self.value = Value(value)
        }
    }

    private struct Value: Encodable {
        var stringValue: String?
        var intValue: String?
        var arrayValue: Values?

        init(_ value: TraceSpan.Value) {
            switch value {
            case .string(let text): stringValue = text
            case .int(let number): intValue = "\(number)"
            case .strings(let texts): arrayValue = Values(values: texts.map { Value(.string($0)) })
            }
        }
    }

    private struct Values: Encodable { let values: [Value] }
}

public import HTTPFoundation

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
        let document: JSONValue = [
            "resourceSpans": [
                [
                    "resource": ["attributes": attributes(["service.name": .string(service)])],
                    "scopeSpans": [["scope": ["name": "straightline"], "spans": .array(spans.map(span))]],
                ]
            ]
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding cannot fail: all values are texts and integers.
        return (try? encoder.encode(document)) ?? Data()
    }

    /// OTLP writes ids in hexadecimal and 64-bit numbers as text.
    private static func span(_ span: TraceSpan) -> JSONValue {
        let kind: JSONValue =
            switch span.kind {
            case .internal: 1
            case .client: 3
            }
        var members: [String: JSONValue] = [
            "traceId": .string("\(span.traceID)"), "spanId": .string("\(span.spanID)"), "name": .string(span.name),
            "kind": kind, "startTimeUnixNano": .string("\(span.start)"), "endTimeUnixNano": .string("\(span.end)"),
            "attributes": attributes(span.attributes), "status": status(span.error),
        ]
        if let parent = span.parentID { members["parentSpanId"] = .string("\(parent)") }
        if !span.traceState.isEmpty { members["traceState"] = .string(span.traceState) }
        return .object(members)
    }

    private static func status(_ error: String?) -> JSONValue {
        guard let error else { return ["code": 0] }
        return error.isEmpty ? ["code": 2] : ["code": 2, "message": .string(error)]
    }

    private static func attributes(_ attributes: [String: TraceSpan.Value]) -> JSONValue {
        .array(attributes.sorted { $0.key < $1.key }.map { ["key": .string($0.key), "value": value($0.value)] })
    }

    private static func value(_ value: TraceSpan.Value) -> JSONValue {
        switch value {
        case .string(let text): ["stringValue": .string(text)]
        case .int(let number): ["intValue": .string("\(number)")]
        case .strings(let texts): ["arrayValue": ["values": .array(texts.map { ["stringValue": .string($0)] })]]
        }
    }
}

import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPTesting
import Testing

import HTTPCore
import HTTPFoundation

/// Spans in the format of collectors. `scripts/validate-otlp` checks the sample with OpenTelemetry's own schema.
@Suite struct OTLPTests {
    private func sample() -> Data {
        let spans = Notes<[TraceSpan]>()
        let stub = StubClient().on(.get, "/a", answer: .status(503).then(.text("x").taking(.milliseconds(20))))
        let client = stub.intercepted(by: .trace { spans.note($0) }, .retry())
        _ = TraceContext.$current.withValue(.root()) {
            client.executeRequest(.get("https://api.example.com/a?page=\"2\""))
        }
        return OTLP.json(spans.all.flatMap(\.self), service: "orders")
    }

    @Test func `ids are hexadecimal, and numbers of 64 bits are text`() throws {
        let json = sample()
        if let path = ProcessInfo.processInfo.environment["STRAIGHTLINE_SAMPLE_OTLP"] {
            try json.write(to: URL(filePath: path))
        }
        let document = try JSONDecoder().decode(JSONValue.self, from: json)
        let resource = document["resourceSpans"][0]
        #expect(resource["resource"]["attributes"][0]["value"]["stringValue"] == .string("orders"))
        let span = resource["scopeSpans"][0]["spans"][1]
        guard case .string(let id) = span["traceId"], case .string(let start) = span["startTimeUnixNano"] else {
            Issue.record("they are no text")
            return
        }
        #expect(id.count == 32 && UInt64(start) != nil)
        #expect(span["kind"] == .integer(3) && span["status"]["code"] == .integer(2))
    }
}

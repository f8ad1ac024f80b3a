"""Reads spans in OTLP JSON by OpenTelemetry's schema; fails for an unknown field, a wrong type or a broken link."""

import base64
import json
import sys

from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

with open(sys.argv[1], encoding="utf-8") as file:
    document = json.load(file)

# OTLP writes ids in hexadecimal, unlike the base64 of other protocol buffers in JSON.
for resource in document["resourceSpans"]:
    for scope in resource["scopeSpans"]:
        for span in scope["spans"]:
            for name in ("traceId", "spanId", "parentSpanId"):
                if name in span:
                    span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()

request = Parse(json.dumps(document), ExportTraceServiceRequest())
spans = request.resource_spans[0].scope_spans[0].spans
assert len(spans) == 3, len(spans)
call, first, last = spans
assert {len(span.trace_id) for span in spans} == {16} and {len(span.span_id) for span in spans} == {8}
assert len({span.trace_id for span in spans}) == 1 and len({span.span_id for span in spans}) == 3
assert first.parent_span_id == last.parent_span_id == call.span_id
assert first.kind == last.kind == Span.SPAN_KIND_CLIENT and call.kind == Span.SPAN_KIND_INTERNAL
assert first.status.code == Status.STATUS_CODE_ERROR and last.status.code == Status.STATUS_CODE_UNSET
assert all(call.start_time_unix_nano <= s.start_time_unix_nano <= s.end_time_unix_nano <= call.end_time_unix_nano for s in spans)
attributes = {a.key: a.value for a in last.attributes}
assert attributes["http.request.method"].string_value == "GET"
assert attributes["http.response.status_code"].int_value == 200
assert attributes["http.request.resend_count"].int_value == 1

print(f"{sys.argv[1]}: {len(spans)} spans, valid for OpenTelemetry's schema")

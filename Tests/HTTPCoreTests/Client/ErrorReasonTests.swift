import HTTPCore
import HTTPObservability
import TestSupport
import Testing

/// The reason of an error is its sentence without the request and the verb, for a line that has both.
@Suite struct ErrorReasonTests {
    private static let line = "GET https://api.example:8443/items?token=<redacted>&page=2"
    private static let record = ErrorSample.record(.waiting, address: "192.0.2.1")
    private static let late = TimeoutFailure(.idle, after: .seconds(1), record: record)
    private static let broken = ConnectionFailure(.broken, mayHaveBeenProcessed: false, record: record)

    @Test(
        arguments: [
            (.cancelled(record), " was cancelled while ", ""), (.timedOut(late), " timed out while ", ""),
            (.other(CircuitOpen(record: record)), " was not sent: ", "the circuit"),
            (.other(CircuitOpen(record: record, wasSent: true)), " failed: ", "the circuit"),
            (.connection(broken), " failed: ", "the connection broke"),
            (.limitExceeded(LimitExceeded(.body, value: 1, record: record)), " was stopped: ", "the decoded body"),
            (.protocolViolation(ProtocolViolation("r", record: record)), " failed while ", ""),
            (.redirect(RedirectFailure(.insecure, status: .found, record: record)), " failed: ", "the redirect"),
            (.interceptor(InterceptorFailure(.interceptor, broken, record: record)), " failed: ", "an interceptor"),
        ] as [(HTTPError, String, String)])
    func `of a call with a record it begins behind the verb`(error: HTTPError, verb: String, start: String) {
        #expect("\(error)".hasPrefix(Self.line + verb))
        #expect("\(error)".hasSuffix(error.reason) && error.reason.count < "\(error)".count - Self.line.count)
        // The verb of a sentence without a colon is part of it.
        let isPart = !verb.hasSuffix(": ")
        #expect(error.reason.hasPrefix(isPart ? String(verb.dropFirst()) : start), "\(error.reason)")
        #expect(isPart || "\(error)" == Self.line + verb + error.reason)
    }

    @Test func `of any other it is the whole sentence`() {
        for error: HTTPError in [
            .cancelled(nil), .timedOut(TimeoutFailure(after: .seconds(1))), .unsupported(Unsupported("x", "y")),
            .invalidRequest(InvalidRequest(.get("https://h/"), "the reason")),
            .other(CircuitOpen()),
        ] { #expect(error.reason == "\(error)") }
    }

    @Test func `a refused retry is said in both`() {
        var record = Self.record
        record.metrics.isRetryRefused = true
        let error = HTTPError.cancelled(record)
        #expect(error.reason.hasSuffix("the RetryBudget has no retry left") && "\(error)".hasSuffix(error.reason))
    }

    @Test func `a changed record is that of the same error`() {
        for error: HTTPError in [
            .cancelled(Self.record), .timedOut(Self.late), .connection(Self.broken),
            .other(CircuitOpen(record: Self.record)),
        ] {
            let changed = error.changingRecord { $0.phase = .queued }
            #expect(changed.record?.phase == .queued && error.record?.phase == .waiting)
            #expect(changed.name == error.name)
        }
        #expect("\(HTTPError.cancelled(nil).changingRecord { $0.phase = .queued })" == "the call was cancelled")
    }
}

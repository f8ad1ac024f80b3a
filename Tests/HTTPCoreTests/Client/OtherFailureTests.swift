import TestSupport
import HTTPObservability
import HTTPPolicies
import Foundation
import HTTPTesting
import Testing

import HTTPCore

@Suite struct OtherFailureTests {
    private static let url = "https://h.test/a?token=s3cret"

    private static func client(_ failure: CircuitOpen) -> StubClient {
        StubClient().on(.get, "/a", answer: .failure(.other(failure)).times(1).then(.status(200)))
    }

    @Test func `a failure of one's own is caught by its type, and has the record of its call`() throws {
        let stub = Self.client(CircuitOpen(record: CallRecord(try Request(.get("http://elsewhere.test")))))
        do {
            try stub.send(.get(Self.url))
            Issue.record("no error")
        } catch .other(let open as CircuitOpen) {
            #expect(open.record?.authority == "h.test" && stub.requestCount == 1)
        }
    }

    @Test func `it is printed like any other, without secrets and control characters`() throws {
        let open = CircuitOpen(
            record: CallRecord(try Request(.get(Self.url))), text: "open\u{1B}[31m since \u{202E}noon")
        let error = HTTPError.other(open)
        #expect("\(error)" == "GET https://h.test/a?token=<redacted> was not sent: open\\u{1B}[31m since \\u{202E}noon")
        #expect("\(open)" == "\(error)")
        #expect(error.errorDescription == "\(error)" && error.status == nil && error.name == "circuit_open")
    }

    @Test(arguments: [true, false]) func `it is retried if it says that it passes`(isTransient: Bool) throws {
        let stub = Self.client(CircuitOpen(record: CallRecord(try Request(.get(Self.url))), isTransient: isTransient))
        let outcome = stub.intercepted(by: .retry()).executeRequest(.get(Self.url))
        #expect(outcome.answer?.status == (isTransient ? .ok : nil) && stub.requestCount == (isTransient ? 2 : 1))
        if !isTransient, case .failure(let error) = outcome { #expect("\(error)".contains("the circuit is open")) }
    }
}

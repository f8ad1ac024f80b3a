@testable import HTTPTransfers
import Testing

import HTTPCore

/// Whether a stream reconnects.
@Suite struct EventReconnectionTests {
    private func isEnd(_ error: (CallRecord) -> HTTPError) throws -> Bool {
        var reconnection = EventReconnection(EventStreamOptions(failureLimit: 3))
        let record = CallRecord(try Request(.get("http://h/")))
        if case .end = reconnection.step(after: .failure(error(record)), broughtEvents: true, retry: nil) {
            return true
        }
        return false
    }

    @Test func `a temporary failure is retried after a wait, and the total timeout ends the call`() throws {
        #expect(try !isEnd { .timedOut(TimeoutFailure(.idle, after: .seconds(1), record: $0)) })
        #expect(try !isEnd { .timedOut(TimeoutFailure(.connect, after: .seconds(1), record: $0)) })
        #expect(try isEnd { .timedOut(TimeoutFailure(.total, after: .seconds(1), record: $0)) })
        #expect(try !isEnd { .truncatedBody(TruncatedBody(.chunked, received: 1, record: $0)) })
        #expect(try isEnd { .cancelled($0) })
    }
}

/// The ends of the range in which an event may lie.
@Suite struct EventLimitTests {
    private func parse(_ text: String, limit: Int) -> (data: [String], isTooLong: Bool) {
        var parser = EventStreamParser(eventLimit: limit)
        let (events, tooLong) = Array(text.utf8).withUnsafeBufferPointer { parser.parse($0) }
        return (events.map(\.data), tooLong != nil)
    }

    @Test func `the data of an event may have as many bytes as the limit, and no more`() {
        let line = "data:x\n"
        let exact = parse(String(repeating: line, count: 4) + "\n", limit: 7)
        #expect(exact.data == ["x\nx\nx\nx"] && !exact.isTooLong)
        let beyond = parse(String(repeating: line, count: 5) + "\n", limit: 7)
        #expect(beyond.data.isEmpty && beyond.isTooLong)
    }

    @Test func `a byte order mark counts only at the start of the stream`() {
        let stream = parse("\u{FEFF}data:a\n\u{FEFF}data:b\n\n", limit: 100)
        #expect(stream.data == ["a"])
    }
}

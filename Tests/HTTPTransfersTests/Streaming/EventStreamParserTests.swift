import Foundation
import HTTPCore
import HTTPSupport
import HTTPTesting
import Testing

@testable import HTTPTransfers

/// The algorithm and the examples of WHATWG HTML §9.2, with the bytes split at every place.
@Suite struct EventStreamParserTests {
    struct Example: Sendable, CustomTestStringConvertible {
        let name: String
        let stream: String
        let events: [ServerSentEvent]
        var lastEventID = ""
        var retry: Duration?

        var testDescription: String { name }
    }

    private static func event(_ data: String, type: String = "message", id: String = "") -> ServerSentEvent {
        ServerSentEvent(type: type, data: data, id: id)
    }

    static let examples = [
        Example(name: "nothing", stream: "", events: []),
        Example(
            name: "messages",
            stream: "data: This is the first message.\n\ndata: This is the second message, it\n"
                + "data: has two lines.\n\ndata: This is the third message.\n\n",
            events: [
                event("This is the first message."), event("This is the second message, it\nhas two lines."),
                event("This is the third message."),
            ]),
        Example(
            name: "types",
            stream: "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\nevent: add\ndata: 113411\n\n",
            events: [event("73857293", type: "add"), event("2153", type: "remove"), event("113411", type: "add")]),
        Example(
            name: "stocks", stream: "data: YHOO\ndata: +2\ndata: 10\n\n", events: [event("YHOO\n+2\n10")]),
        Example(
            name: "comment, id, id reset, and no end",
            stream: ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event",
            events: [event("first event", id: "1"), event("second event")]),
        Example(
            name: "empty data", stream: "data\n\ndata\ndata\n\ndata:", events: [event(""), event("\n")]),
        Example(name: "one space", stream: "data:test\n\ndata: test\n\n", events: [event("test"), event("test")]),
        Example(name: "two spaces", stream: "data:  x\n\n", events: [event(" x")]),
        Example(name: "CR LF", stream: "data: a\r\ndata: b\r\n\r\n", events: [event("a\nb")]),
        Example(name: "CR", stream: "data: a\rdata: b\r\rdata: c\r\r", events: [event("a\nb"), event("c")]),
        Example(name: "mixed endings", stream: "data: a\r\n\ndata: b\r\n\r", events: [event("a"), event("b")]),
        Example(name: "byte order mark", stream: "\u{FEFF}data: a\n\n", events: [event("a")]),
        Example(name: "a second byte order mark is text", stream: "\u{FEFF}\u{FEFF}data: a\n\n", events: []),
        Example(
            name: "an id without data is kept for the next event", stream: "id: 7\n\ndata: a\n\n",
            events: [event("a", id: "7")], lastEventID: "7"),
        Example(
            name: "an id stays until another comes", stream: "id: 7\ndata: a\n\ndata: b\n\nid: 8\ndata: c\n\n",
            events: [event("a", id: "7"), event("b", id: "7"), event("c", id: "8")], lastEventID: "8"),
        Example(
            name: "an id of an event that never ends does not count", stream: "id: 7\ndata: a\n\nid: 8\ndata: b\n",
            events: [event("a", id: "7")], lastEventID: "7"),
        Example(name: "an id with NUL is ignored", stream: "id: a\0b\ndata: x\n\n", events: [event("x")]),
        Example(
            name: "a type without data is dropped", stream: "event: add\n\ndata: x\n\n", events: [event("x")]),
        Example(name: "an empty type is message", stream: "event:\ndata: x\n\n", events: [event("x")]),
        Example(name: "unknown fields", stream: "foo: bar\nDATA: x\n data: y\ndata: z\n\n", events: [event("z")]),
        Example(name: "colons", stream: "data: a:b: c\n\n", events: [event("a:b: c")]),
        Example(name: "retry", stream: "retry: 2500\n", events: [], retry: .milliseconds(2500)),
        Example(
            name: "retry that is no number", stream: "retry: 10\nretry: 1.5\nretry: -1\nretry:\nretry: 5s\n",
            events: [],
            retry: .milliseconds(10)),
        Example(name: "retry beyond all numbers", stream: "retry: 99999999999999999999\n", events: []),
        Example(name: "UTF-8 cut anywhere", stream: "data: é€😀\n\n", events: [event("é€😀")]),
    ]

    private func parse(_ pieces: [[UInt8]]) -> (events: [ServerSentEvent], EventStreamParser.Memory) {
        var parser = EventStreamParser(eventLimit: 1000)
        var events: [ServerSentEvent] = []
        for piece in pieces {
            let (parsed, tooLong) = piece.withUnsafeBufferPointer { parser.parse($0) }
            #expect(tooLong == nil)
            events += parsed
        }
        return (events, parser.memory)
    }

    @Test(arguments: examples)
    func `a stream gives its events, wherever its bytes are split`(example: Example) {
        let bytes = Array(example.stream.utf8)
        let wanted = EventStreamParser.Memory(lastEventID: example.lastEventID, retry: example.retry)
        for pieces in [[bytes], bytes.map { [$0] }]
            + (0...bytes.count).map({ [Array(bytes[..<$0]), Array(bytes[$0...])] })
        {
            let (events, memory) = parse(pieces)
            #expect(events == example.events, "cut after \(pieces[0].count) bytes")
            #expect(memory == wanted, "cut after \(pieces[0].count) bytes")
        }
    }

    @Test func `bytes that are not UTF-8 become replacement characters`() {
        let (events, _) = parse([Array("data: a".utf8), [0xFF, 0xE2, 0x82], Array("\n\n".utf8)])
        #expect(events.map(\.data) == ["a\u{FFFD}\u{FFFD}"])
    }

    @Test func `a resumed parser starts with the last id`() {
        var parser = EventStreamParser(resuming: .init(lastEventID: "41", retry: .seconds(1)), eventLimit: 100)
        let (events, _) = Array("data: x\n\n".utf8).withUnsafeBufferPointer { parser.parse($0) }
        #expect(events == [Self.event("x", id: "41")])
        #expect(parser.memory.retry == .seconds(1))
    }

    @Test(arguments: ["data: 123456789012345", "data: 1234\ndata: 1234\ndata: 1234\n"])
    func `an event beyond the limit is an error, and those before it are delivered`(oversized: String) {
        var parser = EventStreamParser(eventLimit: 12)
        let (events, tooLong) = Array("data: a\n\n\(oversized)".utf8).withUnsafeBufferPointer { parser.parse($0) }
        #expect(events == [Self.event("a")])
        #expect(tooLong == LineSplitter.LineTooLong(limit: 12))
    }

    @Test func `a long line in small pieces takes time proportional to its bytes`() {
        let line = Array("data: ".utf8) + [UInt8](repeating: 0x61, count: 400_000)
        let clock = ContinuousClock()
        var (cutting, parsing) = (Duration.seconds(3600), Duration.seconds(3600))
        for _ in 0..<3 {
            var splitter = LineSplitter(limit: 1 << 20)
            var parser = EventStreamParser(eventLimit: 1 << 20)
            cutting = min(
                cutting,
                clock.measure {
                    for byte in line { withUnsafeBytes(of: byte) { _ = splitter.split($0.bytes) { _ in } } }
                })
            parsing = min(
                parsing, clock.measure { for byte in line { withUnsafeBytes(of: byte) { _ = parser.parse($0.bytes) } } }
            )
        }
        #expect(parsing < cutting * 8)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> { bindMemory(to: UInt8.self) }
}

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

    @Test func `once a server has responded, even with half an error, a refused connection is not the end`() throws {
        var reconnection = EventReconnection(EventStreamOptions(failureLimit: 3))
        let record = CallRecord(try Request(.get("http://h/")))
        let broken = HTTPError.truncatedBody(TruncatedBody(.chunked, received: 1, record: record))
        let late = HTTPError.timedOut(TimeoutFailure(.connect, after: .seconds(1), record: record))
        for error in [broken, late] {
            guard case .connect = reconnection.step(after: .failure(error), broughtEvents: false, retry: nil) else {
                return #expect(Bool(false), "\(error) is the end")
            }
        }
    }
}

extension EventReconnectionTests {
    @Test func `a stream that is quiet for a minute at a time does not end, unless the caller limits its silence`()
        throws
    {
        let request = try Request(.get("http://h/"))
        let record = CallRecord(request)
        let whole = Result<Response, HTTPError>.success(Response(request: request, status: .ok))
        let cut = Result<Response, HTTPError>.failure(
            .truncatedBody(TruncatedBody(.chunked, received: 1, record: record)))
        let broken = Result<Response, HTTPError>.failure(
            .connection(ConnectionFailure(.broken, mayHaveBeenProcessed: true, record: record)))
        let idle = Result<Response, HTTPError>.failure(
            .timedOut(TimeoutFailure(.idle, after: .seconds(60), record: record)))
        for (outcome, seconds, connections) in [
            (whole, 60, 100), (cut, 60, 100), (broken, 60, 100), (whole, 59, 3), (cut, 59, 3), (broken, 59, 3),
            (idle, 60, 3),
        ] {
            var reconnection = EventReconnection(EventStreamOptions(connectionLimit: 100, failureLimit: 3))
            var count = 1
            while case .connect = reconnection.step(
                after: outcome, lasted: .seconds(seconds), hasHead: true, broughtEvents: false, retry: nil)
            { count += 1 }
            #expect(count == connections, "\(outcome) after \(seconds) s")
        }
    }
}

@Suite struct EventDecodingTests {
    private struct Part: Decodable, Sendable, Equatable {
        struct Delta: Decodable, Sendable, Equatable { let text: String }
        let deltas: [Delta]
    }

    @Test func `the data of an event is read as JSON`() throws {
        let text = "data: {\"deltas\":\ndata: [{\"text\": \"Sea\"}]}\n\ndata: 2026-11-29T00:00:00Z\n\n"
        let stub = StubClient().on("**", answer: .data(Data(text.utf8), contentType: "text/event-stream"))
        let seen = Locked<[ServerSentEvent]>([])
        let once = StreamFormat.serverSentEvents(EventStreamOptions(connectionLimit: 1))
        try stub.stream(.get("http://a.example/"), as: once) { event in seen.withLock { $0.append(event) } }
        let events = seen.withLock(\.self)
        #expect(try events.first?.decoded(as: Part.self) == Part(deltas: [Part.Delta(text: "Sea")]))
        #expect(throws: DecodingError.self) { try events.last?.decoded(as: Part.self) }
    }

    @Test(arguments: [
        (#"{"deltas": [{"text": 1}]}"#, "deltas[0].text"), (#"{"deltas": [{"text": "a"},,]}"#, "deltas[1]"),
    ])
    func `an error names the place`(data: String, place: String) throws {
        let event = ServerSentEvent(data: data)
        let error = try #require(throws: DecodingError.self) { try event.decoded(as: Part.self) }
        #expect(error.place.path == place)
        // Thrown by the reader of a stream, it is the reason of the call's error.
        let text = "data: \(data)\n\n"
        let stub = StubClient().on("**", answer: .data(Data(text.utf8), contentType: "text/event-stream"))
        let failure = #expect(throws: HTTPError.self) {
            try stub.stream(.get("http://a.example/"), as: .serverSentEvents) { _ = try $0.decoded(as: Part.self) }
        }
        #expect(failure.map { "\($0)" }?.contains(place) == true)
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

import HTTPPolicies
import HTTPTransfers
import Foundation
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

/// What `.retry()` does with a body that breaks off, by where it goes.
@Suite struct RetriedStreamTests {
    enum Place: String, CaseIterable, Sendable {
        case memory, discard, file
        case stream, lines, jsonLines, events

        /// Whether the program has what came before the break.
        var isStream: Bool {
            switch self {
            case .memory, .discard, .file: false
            case .stream, .lines, .jsonLines, .events: true
            }
        }

        var text: String {
            switch self {
            case .memory, .discard, .file, .stream, .lines, .jsonLines: "1\n2\n3\n"
            case .events: "data: 1\n\ndata: 2\n\ndata: 3\n\n"
            }
        }

        /// `take` gets each element.
        func destination(_ path: String, _ take: @escaping @Sendable (String) -> Void) -> BodyDestination {
            switch self {
            case .memory: .memory
            case .discard: .discard
            case .file: .file(path)
            case .stream: .stream { _ in BodySink { take(String(decoding: $0, as: UTF8.self)) } }
            case .lines: .lines { take($0) }
            case .jsonLines: .jsonLines(of: Int.self) { take("\($0)") }
            case .events: .serverSentEvents { take($0.data) }
            }
        }
    }

    private let url = "https://h.example/"

    /// A server whose first body breaks off after `count` bytes.
    private func stub(_ text: String, cutAfter count: Int) -> StubClient {
        let whole = StubAnswer.data(Data(text.utf8), contentType: "text/event-stream")
        return StubClient().on("**", answer: whole.truncated(after: count).times(1).then(whole))
    }

    @Test(arguments: Place.allCases, [0, 1, 9])
    func `what was delivered is not delivered again`(place: Place, count: Int) throws {
        let count = min(count, place.text.utf8.count - 1)
        let stub = stub(place.text, cutAfter: count)
        let taken = Mutex("")
        let scratch = try ScratchDirectory()
        let path = scratch.path + "/body"
        let destination = place.destination(path) { element in taken.withLock { $0 += element + "|" } }
        let result = stub.intercepted(by: .retry()).executeRequest(.get(url) |> .destination(destination))
        if place.isStream, count > 0 {
            #expect(stub.requests.count == 1)
            guard case .failure(.truncatedBody) = result else { return #expect(Bool(false), "\(result)") }
            #expect(taken.withLock { $0.split(separator: "|").filter { $0.hasPrefix("1") }.count } <= 1)
        } else {
            #expect(stub.requests.count == 2)
            let response = try result.get()
            #expect(response.metrics.attemptCount == 2)
            switch place {
            case .memory: #expect(try response.text() == place.text)
            case .discard: #expect(response.bodyByteCount == Int64(place.text.utf8.count))
            case .file: #expect(try String(contentsOfFile: path, encoding: .utf8) == place.text)
            case .stream: #expect(taken.withLock { $0 } == place.text + "|")
            case .lines, .jsonLines, .events: #expect(taken.withLock { $0 } == "1|2|3|")
            }
        }
    }

    @Test func `neither a key, nor a condition, nor a setting repeats a stream that was delivered in part`() throws {
        for (step, retry) in [
            (RequestStep.idempotencyKey("k"), Interceptor.retry()),
            (.none, .retry(RetryPolicy(repeatsAnyMethod: true))),
            (.idempotencyKey("k"), .retry { _ in true }),
        ] {
            for count in [0, 3] {
                let stub = stub("1\n2\n3\n", cutAfter: count)
                let taken = Mutex<[String]>([])
                let lines = BodyDestination.lines { line in taken.withLock { $0.append(line) } }
                let result = stub.intercepted(by: retry).executeRequest(.post(url) |> step |> .destination(lines))
                #expect(stub.requests.count == (count == 0 ? 2 : 1))
                #expect(((try? result.get()) != nil) == (count == 0))
                #expect(taken.withLock { $0 } == (count == 0 ? ["1", "2", "3"] : ["1"]))
            }
        }
    }

    @Test func `a condition on the response does not repeat a whole stream either`() throws {
        let stub = StubClient().on("**", answer: .text("1\n2\n"))
        let taken = Mutex<[String]>([])
        let lines = BodyDestination.lines { line in taken.withLock { $0.append(line) } }
        _ = try stub.intercepted(by: .retry { _ in true }).send(.get(url) |> .destination(lines))
        #expect(stub.requests.count == 1 && taken.withLock { $0 } == ["1", "2"])
    }

    @Test(arguments: [429, 503])
    func `a refusal before the stream is retried, unless its body went there, too`(status: Int) throws {
        for takesRefusals in [false, true] {
            let refused = StubAnswer.text("later\n", status: HTTPStatus(status))
            let stub = StubClient().on("**", answer: refused.times(1).then(.text("1\n")))
            let taken = Mutex<[String]>([])
            let lines = BodyDestination.lines { line in taken.withLock { $0.append(line) } }
            let response = try stub.intercepted(by: .retry()).send(
                .get(url) |> .destination(takesRefusals ? lines.includingRefusals() : lines))
            #expect(stub.requests.count == (takesRefusals ? 1 : 2))
            #expect(response.status.rawValue == (takesRefusals ? status : 200))
            #expect(taken.withLock { $0 } == (takesRefusals ? ["later"] : ["1"]))
        }
    }

    @Test func `a stream of events goes on after a connection that is refused at first`() throws {
        let events = StubAnswer.data(Data("data: 1\n\n".utf8), contentType: "text/event-stream")
        let stub = StubClient().on(
            "**", answer: events.times(1).then(.status(503).times(2)).then(.status(.noContent)))
        let taken = Mutex<[String]>([])
        try stub.intercepted(by: .retry()).stream(.get(url), as: .serverSentEvents) { event in
            taken.withLock { $0.append(event.data) }
        }
        #expect(stub.requests.count == 4 && taken.withLock { $0 } == ["1"])
    }

    @Test func `the same request is retried in its next call`() throws {
        let whole = StubAnswer.text("1\n2\n")
        let stub = StubClient().on(
            "**", answer: whole.truncated(after: 2).times(1).then(whole.truncated(after: 0).times(1)).then(whole))
        let client = stub.intercepted(by: .retry())
        let taken = Mutex<[String]>([])
        let request = try Request(.get(url) |> .destination(.lines { line in taken.withLock { $0.append(line) } }))
        guard case .failure(.truncatedBody) = client.executeRequest(request) else { return #expect(Bool(false)) }
        #expect(stub.requests.count == 1)
        _ = try client.send(request)
        #expect(stub.requests.count == 3 && taken.withLock { $0 } == ["1", "1", "2"])
    }
}

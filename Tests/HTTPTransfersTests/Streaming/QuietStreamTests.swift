import HTTPTransfers
import HTTPCore
import HTTPTesting
import Synchronization
import Testing

/// How long the server of a stream may be silent. Time is simulated.
@Suite struct QuietStreamTests {
    private let url = "https://h.example/"

    private func stub(
        _ phase: CallActivity, type: String? = "text/event-stream", status: HTTPStatus = .ok
    ) -> StubClient {
        let answer = StubAnswer.data(Array("data: a\n\n".utf8), contentType: type, status: status)
        return StubClient().on("**", answer: answer.taking(.seconds(86_400), in: phase))
    }

    private func limit(_ result: Result<Response, HTTPError>) -> TimeoutFailure.Limit? {
        if case .failure(.timedOut(let failure)) = result { failure.limit } else { nil }
    }

    @Test func `a stream of events may be quiet for a day`() throws {
        let seen = Mutex<[String]>([])
        let events = BodyDestination.serverSentEvents { event in seen.withLock { $0.append(event.data) } }
        for destination in [events, events.includingRefusals()] {
            _ = try stub(.receiving).send(.get(url) |> .destination(destination))
        }
        #expect(seen.withLock { $0 } == ["a", "a"])
    }

    @Test func `its server may not be silent before it answers`() {
        let result = stub(.waiting).executeRequest(.get(url) |> .destination(.serverSentEvents { _ in }))
        #expect(limit(result) == .idle)
    }

    @Test(arguments: ["application/json", "text/plain; charset=utf-8", nil])
    func `a body of another type may not be quiet`(type: String?) {
        let other = stub(.receiving, type: type)
        #expect(limit(other.executeRequest(.get(url) |> .destination(.serverSentEvents { _ in }))) == .idle)
        let accepting = BodyDestination.serverSentEvents(accepting: ["application/json"]) { _ in }
        let isAccepted = type == "application/json"
        #expect((limit(other.executeRequest(.get(url) |> .destination(accepting))) == nil) == isAccepted)
    }

    @Test func `nor may that of a refusal, which is no stream`() {
        let refusing = stub(.receiving, status: .notFound)
        #expect(limit(refusing.executeRequest(.get(url) |> .destination(.serverSentEvents { _ in }))) == .idle)
    }

    @Test(arguments: [
        RequestStep.idleTimeout(.seconds(30)), RequestStep { $0.timeouts = Timeouts(idle: .seconds(30)) },
        RequestStep { $0.timeouts = Timeouts(idle: .seconds(5), total: nil) },
    ])
    func `a limit that was set holds`(step: RequestStep) {
        let result = stub(.receiving).executeRequest(.get(url) |> step |> .destination(.serverSentEvents { _ in }))
        #expect(limit(result) == .idle)
    }

    @Test func `so does the limit of the whole call`() {
        let result = stub(.receiving).executeRequest(
            .get(url) |> .timeout(.seconds(9)) |> .destination(.serverSentEvents { _ in }))
        #expect(limit(result) == .total)
    }

    @Test func `lines and other bodies may be silent for 30 seconds`() {
        for destination in [
            BodyDestination.memory, .discard, .lines { _ in }, .jsonLines(of: Int.self) { _ in },
            .stream { _ in BodySink { _ in } },
        ] {
            let draft = MutableRequest.get(url) |> .timeout(nil) |> .destination(destination)
            #expect(limit(stub(.receiving).executeRequest(draft)) == .idle)
        }
    }
}

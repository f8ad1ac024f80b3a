import HTTPPolicies
import HTTPTransfers
import HTTPAsync
import HTTPCore
import HTTPFoundation
import HTTPTesting
import Testing

/// Awaited streams behind `.retry()`: nothing is delivered twice.
@Suite(.timeLimit(.minutes(5))) struct AwaitedRetryTests {
    enum Kind: CaseIterable, Sendable { case lines, jsonLines, chunks, head }

    private let url = "https://h.example/"

    private func read(_ kind: Kind, _ client: any HTTPClient) async throws -> [String] {
        var seen: [String] = []
        do {
            switch kind {
            case .lines: for try await line in client.stream(.get(url), as: .lines) { seen.append(line) }
            case .jsonLines:
                for try await n in client.stream(.get(url), as: .jsonLines(of: Int.self)) { seen.append("\(n)") }
            case .chunks:
                for try await piece in client.stream(.get(url), as: .chunks) {
                    seen.append(String(decoding: piece, as: UTF8.self))
                }
            case .head:
                let response = try await client.stream(.get(url), as: .lines).response()
                seen.append("\(response.status.rawValue)")
                for try await line in response { seen.append(line) }
            }
        } catch {
            guard case .truncatedBody = error else { throw error }
            seen.append("cut")
        }
        return seen
    }

    @Test(arguments: Kind.allCases) func `a stream that was delivered in part ends`(kind: Kind) async throws {
        let whole = StubAnswer.text("1\n2\n3\n")
        let stub = StubClient().on("**", answer: whole.truncated(after: 2).times(1).then(whole))
        let seen = try await read(kind, stub.intercepted(by: .retry()))
        #expect(seen == (kind == .head ? ["200"] : []) + (kind == .chunks ? ["1\n", "cut"] : ["1", "cut"]))
        #expect(stub.requestCount == 1)
    }

    @Test(arguments: Kind.allCases.filter { $0 != .head })
    func `one of which nothing was delivered is retried`(kind: Kind) async throws {
        let whole = StubAnswer.text("1\n2\n")
        let stub = StubClient().on("**", answer: whole.truncated(after: 0).times(1).then(whole))
        let seen = try await read(kind, stub.intercepted(by: .retry()))
        #expect(seen == (kind == .chunks ? ["1\n2\n"] : ["1", "2"]))
        #expect(stub.requestCount == 2)
    }

    private func read<Element: Sendable>(_ response: StreamedResponse<Element>) async -> HTTPError? {
        do throws(HTTPError) {
            for try await element in response { Issue.record("\(element) of another response") }
            return nil
        } catch { return error }
    }

    @Test(arguments: [true, false])
    func `a response whose head was returned ends when its body is lost`(isPrompt: Bool) async throws {
        let first = StubAnswer.text("1\n").header("ETag", "\"one\"").truncated(after: 0)
        let second = StubAnswer.text("2\n").header("ETag", "\"two\"")
        let stub = StubClient().on("**", answer: StubAnswer.status(503).times(1).then(first.times(1)).then(second))
        let client = stub.intercepted(by: .retry(RetryPolicy(limit: 4, backoff: Backoff(base: .zero))))
        let (tag, error): (String?, HTTPError?)
        if isPrompt {
            let response = try await client.stream(.get(url), as: .lines).response()
            (tag, error) = (response.headers["ETag"], await read(response))
        } else {
            let response = try await client.stream(.get(url), as: .jsonLines(of: Int.self)).response()
            (tag, error) = (response.headers["ETag"], await read(response))
        }
        #expect(tag == "\"one\"")
        guard case .truncatedBody = error else { return #expect(Bool(false), "\(String(describing: error))") }
        // A refusal before it has no head of a stream.
        #expect(stub.requestCount == 2)
    }

    @Test func `a later connection of events is retried, also after the head of the first was returned`() async throws {
        func events(_ text: String) -> StubAnswer { .data(Data(text.utf8), contentType: "text/event-stream").times(1) }
        let stub = StubClient().on(
            "**",
            answer: events("retry: 0\ndata: a\n\n").then(.status(503).times(1)).then(events("data: b\n\n"))
                .then(.status(.noContent)))
        let client = stub.intercepted(by: .retry(RetryPolicy(backoff: Backoff(base: .zero))))
        var seen: [String] = []
        for try await event in try await client.stream(.get(url), as: .serverSentEvents).response() {
            seen.append(event.data)
        }
        #expect(seen == ["a", "b"])
        #expect(stub.requestCount == 4)
    }

    @Test func `events go on from the last id, by the reconnection alone`() async throws {
        func events(_ text: String) -> StubAnswer { .data(Data(text.utf8), contentType: "text/event-stream") }
        let first = events("retry: 0\nid: 7\ndata: a\n\ndata: b\n\n")
        let stub = StubClient().on(
            "**",
            answer: first.truncated(after: 27).times(1).then(events("data: b\n\n").times(1)).then(.status(.noContent)))
        var seen: [String] = []
        for try await event in stub.intercepted(by: .retry()).stream(.get(url), as: .serverSentEvents) {
            seen.append(event.data)
        }
        #expect(seen == ["a", "b"])
        #expect(stub.requests.map { $0.headers["Last-Event-ID"] } == [nil, "7", "7"])
    }
}

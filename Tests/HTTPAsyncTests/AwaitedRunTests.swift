import HTTPAsync
import HTTPCore
import HTTPEngine
import HTTPTesting
import Testing

/// `run` of a deadline and of a token, awaited.
@Suite(.timeLimit(.minutes(5))) struct AwaitedRunTests {
    private let stub = StubClient().on("**", answer: .status(.ok))
    private let draft = MutableRequest.get("http://example.com/") |> .sendingDeadline(as: "Time-Left-Ms")

    /// What the requests said was left, in whole seconds, rounded up: they are sent at once.
    private var seconds: [Int?] {
        stub.requests.map { $0.headers["Time-Left-Ms"].flatMap { Int($0) }.map { ($0 + 999) / 1000 } }
    }

    @Test func `of two deadlines the earlier one holds, whichever is around the other`() async throws {
        for (outer, inner) in [(300, 10_000), (10_000, 300)] {
            try await CallDeadline(.seconds(outer)).run {
                try await CallDeadline(.seconds(inner)).run {
                    async let first = stub.send(draft |> .timeout(nil))
                    _ = try await (first, stub.send(draft |> .timeout(nil)))
                }
            }
        }
        #expect(seconds.allSatisfy { (200...300).contains($0 ?? 0) } && seconds.count == 4)
    }

    @Test func `a missing deadline leaves the one around it`() async throws {
        let missing = CallDeadline(incoming: HTTPHeaders())
        #expect(missing == nil)
        try await missing.run { _ = try await stub.send(draft |> .timeout(nil)) }
        try await CallDeadline(.seconds(300)).run {
            try await missing.run { _ = try await stub.send(draft |> .timeout(nil)) }
        }
        #expect(seconds.count == 2 && seconds[0] == nil && (200...300).contains(seconds[1] ?? 0))
    }

    @Test(arguments: [0, 1])
    func `a call under two tokens ends with either`(cancelled: Int) async throws {
        let client = PatientClient()
        let tokens = [CancellationToken(), CancellationToken()]
        let call = Task {
            try await tokens[0].run { try await tokens[1].run { try await client.send(draft) } }
        }
        await client.arrived.happened()
        tokens[cancelled].cancel()
        guard case .failure(HTTPError.cancelled) = await call.result else { return #expect(Bool(false)) }
        #expect(!tokens[1 - cancelled].isCancelled)
    }

    @MainActor @Test func `it runs where its caller does, with values that need not be sendable`() async {
        final class Screen { var text = "" }
        let screen = Screen()
        let shown = await CallDeadline(.seconds(300)).run {
            MainActor.assertIsolated()
            await Task.yield()
            screen.text = "shown"
            return screen
        }
        #expect(shown === screen && screen.text == "shown")
        // What blocks is still what needs no await.
        #expect(CancellationToken().run { 1 } == 1)
    }
}

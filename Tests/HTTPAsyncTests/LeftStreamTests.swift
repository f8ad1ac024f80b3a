import TestSupport
import HTTPObservability
import HTTPPolicies
import HTTPTransfers
import HTTPAsync
import HTTPCore
import HTTPFoundation
import HTTPTesting
import Testing

/// What observers see of a stream whose reader has left the loop.
@Suite(.timeLimit(.minutes(5))) struct LeftStreamTests {
    private struct Enough: Error {}

    private let log = Notes<String>()
    private let endings = Notes<Bool>()
    private let spans = Notes<TraceSpan>()
    private let done = Event()
    private let url = "https://h.example/"

    /// Thousand lines, of which few fit into the channel.
    private var stub: StubClient {
        StubClient().on("**", answer: .chunks((1...1000).map { Data("line \($0)\n".utf8) }))
    }

    /// Listed first is told last.
    private func watched(_ client: any HTTPClient) -> any HTTPClient {
        client.intercepted(
            by: .log { [log, done] line in
                log.note(line)
                done.signal()
            },
            .observing { [endings] event in
                if case .finished(_, let outcome, _, _) = event { endings.note((try? outcome.get()) != nil) }
            }, .trace { [spans] in for span in $0 { spans.note(span) } }, .retry())
    }

    private func expectLeft() async {
        await done.happened()
        #expect(log.all.count == 1)
        let line = log.all.first ?? ""
        #expect(line.hasPrefix("GET \(url) → 200, left in "), "\(line)")
        #expect(!line.contains("fail") && !line.contains("cancelled"), "\(line)")
        #expect(endings.all == [true])
        #expect(spans.all.allSatisfy { $0.error == nil } && !spans.all.isEmpty)
    }

    @Test func `a loop that is left is no failure`() async throws {
        let stub = stub
        for try await line in watched(stub).stream(.get(url), as: .lines, buffering: 1) where line == "line 3" { break }
        await expectLeft()
        #expect(stub.requestCount == 1)
    }

    @Test func `neither is one that an error of its own ends`() async throws {
        await #expect(throws: Enough.self) {
            for try await _ in watched(stub).stream(.get(url), as: .lines, buffering: 1) { throw Enough() }
        }
        await expectLeft()
    }

    @Test func `nor a response whose elements are not read`() async throws {
        #expect(try await watched(stub).stream(.get(url), as: .chunks, buffering: 1).response().status == .ok)
        await expectLeft()
    }

    @Test func `nor a loop of a thread`() async throws {
        let client = watched(stub)
        await onThread { [url] in
            for _ in client.stream(.get(url), as: .lines, buffering: 1).blocking { break }
        }
        await expectLeft()
    }

    @Test func `a cancelled task is cancelled`() async throws {
        let client = watched(stub)
        let task = Task { [url] in
            for try await _ in client.stream(.get(url), as: .lines, buffering: 1) {
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        let error = await #expect(throws: HTTPError.self) { try await task.value }
        guard case .cancelled? = error else { return #expect(Bool(false), "\(error as Any)") }
        await done.happened()
        #expect(log.all.count == 1 && log.all[0].contains("cancelled"), "\(log.all)")
        #expect(endings.all == [false])
    }

    @Test func `a task that is cancelled while it waits for the head is cancelled, too`() async throws {
        let patient = PatientClient()
        let client = watched(patient)
        let task = Task { [url] in try await client.stream(.get(url), as: .lines).response().status }
        await patient.arrived.happened()
        task.cancel()
        await #expect(throws: HTTPError.self) { try await task.value }
        await done.happened()
        #expect(log.all.count == 1 && log.all[0].contains("cancelled"), "\(log.all)")
        #expect(endings.all == [false])
    }

    @Test func `a stream that is read to its end has nothing to note`() async throws {
        for try await _ in watched(stub).stream(.get(url), as: .lines, buffering: 1) {}
        await done.happened()
        #expect(log.all.count == 1 && log.all[0].hasPrefix("GET \(url) → 200 in "), "\(log.all)")
    }
}

import TestSupport
import HTTPSupport
import Dispatch
import HTTPAsync
import HTTPCore
import HTTPTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct CallbackTests {
    let url = "http://example.com/"

    struct NotCancelled: Error {}

    @Test func `the callback runs on its queue`() async throws {
        let queue = DispatchQueue(label: "callbacks")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let isThere = await withCheckedContinuation { continuation in
            StubClient.ok.executeRequest(.get(url), callbackQueue: .queue(queue)) { result in
                continuation.resume(
                    returning: result.failure == nil && DispatchQueue.getSpecific(key: key) == true)
            }
        }
        #expect(isThere)
    }

    @Test func `a draft that cannot be built is reported like any failure`() async throws {
        let outcome = Locked<HTTPError?>(nil)
        StubClient.ok.executeRequest(.get("not a url"), callbackQueue: .immediate) { result in
            outcome.withLock { $0 = result.failure }
        }
        let error = try #require(outcome.withLock { $0 })
        guard case .invalidRequest = error else { throw error }
    }

    @Test func `a callback gets a decoded value, or a refusal with its response`() async throws {
        struct User: Decodable, Sendable { let name: String }
        let stub = StubClient(strict: true)
            .on(.get, "http://example.com/7", .header("X-App", "1"), answer: .json(["name": "Ada"]))
            .on(.get, "http://example.com/8", answer: .status(.notFound))
            .on(.get, "http://example.com/9", answer: .text("no JSON"))
        func outcome(_ path: String) async -> Result<User, HTTPError> {
            await withCheckedContinuation { continuation in
                stub.execute(
                    .get(url + path) |> .header("X-App", "1"), as: User.self, callbackQueue: .immediate
                ) { continuation.resume(returning: $0) }
            }
        }
        #expect(try await outcome("7").get().name == "Ada")
        guard case .failure(.unacceptableStatus(let response)) = await outcome("8") else { throw NotCancelled() }
        #expect(response.status == .notFound)
        guard case .failure(.decoding) = await outcome("9") else { throw NotCancelled() }
        try stub.verify()
    }

    @Test func `its handle cancels a waiting call, at once and only once`() async throws {
        let client = GatedClient()
        let dispatcher = Dispatcher.limited(to: 1)
        let (done, outcomes) = (Event(), Locked<[HTTPError?]>([]))
        client.executeRequest(.get(url), callbackQueue: .immediate, on: dispatcher) { _ in done.signal() }
        await client.arrived.happened()
        let call = client.executeRequest(.get(url), callbackQueue: .immediate, on: dispatcher) { result in
            outcomes.withLock { $0.append(result.failure) }
        }
        call.cancel()
        call.cancel()
        let errors = outcomes.withLock { $0 }
        #expect(errors.count == 1)
        guard case .cancelled? = errors.first ?? nil else { throw NotCancelled() }
        client.gate.signal()
        await done.happened()
        #expect(client.arrived.count == 1)
    }

    @Test func `its handle cancels a running call`() async throws {
        let client = PatientClient()
        let outcome = Locked<HTTPError?>(nil)
        let done = Event()
        let call = client.executeRequest(.get(url), callbackQueue: .immediate) { result in
            outcome.withLock { $0 = result.failure }
            done.signal()
        }
        await client.arrived.happened()
        call.cancel()
        await done.happened()
        guard case .cancelled(let record)? = outcome.withLock({ $0 }) else { throw NotCancelled() }
        #expect(record?.phase == .waiting)
    }

    @Test func `a token around the call cancels it, also within the call that made it`() async throws {
        let client = PatientClient()
        let url = url
        let done = Event()
        let outer = Dispatcher.shared.submit({ () -> Result<Void, HTTPError> in
            client.executeRequest(.get(url), callbackQueue: .immediate) { _ in done.signal() }
            return .success(())
        }) { _ in done.signal() }
        await client.arrived.happened()
        outer.cancel()
        await done.happened(2)
    }

    @Test func `blocking work can report to a callback`() async throws {
        let url = url
        let status = await withCheckedContinuation { continuation in
            Dispatcher.shared.submit({ StubClient.ok.executeRequest(.get(url)).map(\.status) }) {
                continuation.resume(returning: $0)
            }
        }
        #expect(try status.get() == .ok)
    }
}

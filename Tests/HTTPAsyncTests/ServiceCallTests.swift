import HTTPSupport
import Dispatch
import Foundation
import HTTPAsync
import HTTPCore
import HTTPTesting
import TestSupport
import Testing

private struct Drafts: EnumeratedGenerator {
    typealias Calls = DraftEndpoint

    let baseURL = "https://drafts.example"
    let json = JSONCoding(keys: .snakeCase)
}

private struct Draft: Codable, Equatable, Sendable { let wordCount: Int }

extension Endpoint where Generator == Drafts {
    fileprivate static var latest: Endpoint<Drafts, Draft> { .get("latest") }
}

private enum DraftEndpoint: ServiceEndpoint {
    case newest, save(Draft)

    func request(from drafts: Drafts) -> MutableRequest {
        switch self {
        case .newest: drafts.get("latest")
        case .save(let draft): drafts.put("latest") |> .json(draft)
        }
    }
}

/// The calls of a service, awaited and with a callback.
@Suite(.timeLimit(.minutes(5))) struct ServiceCallTests {
    private let stub = StubClient(strict: true)
        .on(.get, "/latest", answer: .json(text: #"{"word_count": 3}"#).header("ETag", "1"))
        .on(.put, "/latest", answer: .status(.noContent))

    @Test func `a call is awaited by its blocking name`() async throws {
        let drafts = stub.service(Drafts())
        #expect(try await drafts.call(.latest) == Draft(wordCount: 3))
        #expect(try await drafts.call(.newest, as: Draft.self).wordCount == 3)
        let stepped: Draft = try await drafts.call(.newest |> .header("X-A", "1"))
        #expect(stepped.wordCount == 3 && stub.requests.last?.headers["X-A"] == "1")
        #expect(try await drafts.call(.get("latest"), as: Draft.self).wordCount == 3)
        #expect(try await drafts.call(DraftEndpoint.newest.returning(Draft.self)).wordCount == 3)
        try await drafts.call(.save(Draft(wordCount: 4)))
        let (value, response) = try await drafts.callWithResponse(.latest)
        #expect(value.wordCount == 3 && response.headers["ETag"] == "1")
        #expect(try await drafts.callWithResponse(.newest, as: Draft.self).response.headers["ETag"] == "1")
        #expect(try await drafts.client.send(drafts.request(.latest)).status == .ok)
        #expect(try await drafts.client.send(drafts.request(.save(Draft(wordCount: 5)))).status == .noContent)
        #expect(
            stub.requests.compactMap { $0.method == .put ? $0.text : nil } == [
                #"{"word_count":4}"#, #"{"word_count":5}"#,
            ])
    }

    @Test func `a refusal and a body of another shape are thrown`() async {
        let refusing = StubClient(strict: true).on("**", answer: .status(.notFound)).service(Drafts())
        let refusal = await #expect(throws: HTTPError.self) { try await refusing.call(.latest) }
        guard case .unacceptableStatus? = refusal else { return #expect(Bool(false)) }
        let other = StubClient(strict: true).on("**", answer: .json(text: "[]")).service(Drafts())
        let error = await #expect(throws: HTTPError.self) { try await other.call(.newest, as: Draft.self) }
        guard case .decoding? = error else { return #expect(Bool(false)) }
    }

    @Test func `a callback gets the decoded value on its queue`() async throws {
        let drafts = stub.service(Drafts())
        let queue = DispatchQueue(label: "callbacks")
        let value: Draft = try await withCheckedThrowingContinuation { done in
            drafts.call(.latest, callbackQueue: .queue(queue)) { result in
                dispatchPrecondition(condition: .onQueue(queue))
                done.resume(with: result)
            }
        }
        #expect(value == Draft(wordCount: 3))
        let same: Draft = try await withCheckedThrowingContinuation { done in
            drafts.call(.newest, callbackQueue: .immediate) { done.resume(with: $0) }
        }
        #expect(same == value)
        try await withCheckedThrowingContinuation { done in
            drafts.call(.save(value), callbackQueue: .immediate) { done.resume(with: $0) }
        }
    }
}

/// Calls that outlive their caller.
@Suite(.timeLimit(.minutes(5))) struct DetachedCallTests {
    private let arrived = Event()
    private let mayAnswer = Event()
    let ended = Event()
    private let outcome = Locked<Result<Response, HTTPError>?>(nil)

    /// Holds its answer until it is allowed to give it. Fails if the call is cancelled then, or has a limit of 1 ms.
    private func slow() -> any HTTPClient {
        StubClient { [arrived, mayAnswer] request in
            arrived.signal()
            mayAnswer.block()
            if CancellationToken.current?.isCancelled == true || CallDeadline.current?.allowance == .milliseconds(1) {
                return .failure(.cancelled(CallRecord(request)))
            }
            return .success(Response(request: request, status: .ok))
        }
    }

    @Test func `a cancelled task ends a call, but not a detached one`() async throws {
        let client = slow()
        let attached = Task { await client.failure(.get("https://h/")) }
        let detached = Task { try await client.detached.send(.get("https://h/")) }
        await arrived.happened(2)
        attached.cancel()
        detached.cancel()
        guard case .cancelled? = await attached.value else { return unexpected(await attached.value as Any) }
        mayAnswer.signal()
        #expect(try await detached.value.status == .ok)
    }

    @Test func `a cancelled token and a deadline around it do not end a detached call with a callback`() throws {
        let token = CancellationToken()
        let call = CallDeadline(.milliseconds(1)).run { token.run { start(slow().detached) } }
        arrived.block()
        token.cancel()
        mayAnswer.signal()
        ended.block()
        #expect(try outcome.withLock(\.self)?.get().status == .ok)
        withExtendedLifetime(call) {}
    }

    @Test func `the handle of a detached call still cancels it`() {
        let call = start(slow().detached)
        arrived.block()
        call.cancel()
        mayAnswer.signal()
        ended.block()
        guard case .failure(.cancelled)? = outcome.withLock(\.self) else { return #expect(Bool(false)) }
    }

    private func start(_ client: any HTTPClient) -> DispatchedCall {
        client.executeRequest(.get("https://h/"), callbackQueue: .immediate) { [outcome, ended] result in
            outcome.withLock { $0 = result }
            ended.signal()
        }
    }
}

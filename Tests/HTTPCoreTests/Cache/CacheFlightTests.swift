import Foundation
import HTTPTesting
import Testing

@testable import HTTPCore

/// Many concurrent callers of one resource.
@Suite(.timeLimit(.minutes(5))) struct CacheFlightTests {
    /// Answers when allowed, by the system's clock, and counts.
    private final class Gate: HTTPClient {
        let arrived = Tally()
        let requests = Notes<Request>()
        private let open = Signal()
        private let answer: @Sendable (Request) -> Result<Response, HTTPError>

        init(_ answer: @escaping @Sendable (Request) -> Result<Response, HTTPError>) { self.answer = answer }

        func release() { open.fire() }

        @available(*, noasync)
        func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
            requests.note(request)
            arrived.add()
            _ = CallClock.system.wait(for: Signal(), until: .now)
            let token = CancellationToken.current
            let registration = token?.onCancel { [open] in open.fire() }
            _ = open.wait()
            registration?.remove()
            if token?.isCancelled == true { return .failure(.cancelled(CallRecord(request))) }
            return answer(request)
        }
    }

    private static func fresh(_ control: String = "max-age=60") -> @Sendable (Request) -> Result<Response, HTTPError> {
        { request in
            .success(
                Response(request: request, status: .ok, headers: ["Cache-Control": control], body: Data(count: 100_000))
            )
        }
    }

    private func waiting(_ cache: HTTPCache) -> Int { cache.flights.waitingCount }

    /// Starts them one after the other, and waits until all but the first of each URL wait.
    private func call(
        _ client: any HTTPClient, _ drafts: [MutableRequest], _ outcomes: Notes<Result<Response, HTTPError>>
    ) -> [TestThread] {
        drafts.map { draft in TestThread { outcomes.note(client.executeRequest(draft)) } }
    }

    @Test func `a thousand concurrent callers of one URL make one request and share one body`() throws {
        let gate = Gate(Self.fresh())
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let outcomes = Notes<Result<Response, HTTPError>>()
        let threads = call(client, Array(repeating: .get("http://h/a"), count: 1000), outcomes)
        #expect(waited { waiting(cache) == 999 })
        gate.release()
        for thread in threads { thread.join() }
        let responses = try outcomes.all.map { try $0.get() }
        #expect(gate.requests.all.count == 1 && responses.count == 1000)
        #expect(responses.count { $0.cacheStatus?.isCollapsed == true } == 999)
        let places = Set(responses.map { $0.body.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } })
        #expect(places.count == 1 && responses.allSatisfy { $0.body.count == 100_000 })
        #expect(cache.flights.count == 0)
    }

    @Test func `all waiting calls get the failure`() throws {
        let gate = Gate {
            .failure(.connection(ConnectionFailure(.refused, mayHaveBeenProcessed: false, record: CallRecord($0))))
        }
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let outcomes = Notes<Result<Response, HTTPError>>()
        let threads = call(client, Array(repeating: .get("http://h/a"), count: 10), outcomes)
        #expect(waited { waiting(cache) == 9 })
        gate.release()
        for thread in threads { thread.join() }
        #expect(gate.requests.all.count == 1 && outcomes.all.count { $0.failure != nil } == 10)
        #expect(cache.flights.count == 0)
    }

    @Test func `when the leading call is cancelled, the next one sends its request`() throws {
        let gate = Gate(Self.fresh())
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let token = CancellationToken()
        let first = Notes<Result<Response, HTTPError>>()
        let leader = TestThread { token.run { first.note(client.executeRequest(.get("http://h/a"))) } }
        gate.arrived.wait(for: 1)
        let outcomes = Notes<Result<Response, HTTPError>>()
        let threads = call(client, Array(repeating: .get("http://h/a"), count: 5), outcomes)
        #expect(waited { waiting(cache) == 5 })
        token.cancel()
        for thread in threads + [leader] { thread.join() }
        guard case .cancelled = first.all.first?.failure else { return unexpected(first.all) }
        #expect(gate.requests.all.count == 2 && outcomes.all.allSatisfy { (try? $0.get()) != nil })
    }

    @Test func `a response for one call only is requested by each, at once`() throws {
        let gate = Gate(Self.fresh("no-store"))
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let outcomes = Notes<Result<Response, HTTPError>>()
        let threads = call(client, Array(repeating: .get("http://h/a"), count: 5), outcomes)
        #expect(waited { waiting(cache) == 4 })
        gate.release()
        for thread in threads { thread.join() }
        #expect(gate.requests.all.count == 5 && outcomes.all.allSatisfy { (try? $0.get()) != nil })
    }

    @Test func `calls with different credentials, languages, cookies or directives do not share`() throws {
        let gate = Gate(Self.fresh())
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let fields: [HTTPHeaders] = [
            [:], ["Authorization": "Bearer a"], ["Authorization": "Bearer b"], ["Cookie": "a=1"], ["Cookie": "a=2"],
            ["Accept-Language": "de"], ["Accept": "image/png"], ["Cache-Control": "no-cache"],
            ["Cache-Control": "no-cache"],
        ]
        let outcomes = Notes<Result<Response, HTTPError>>()
        let threads = call(client, fields.map { .get("http://h/a") |> .headers($0) }, outcomes)
        #expect(gate.arrived.wait(for: fields.count) && waiting(cache) == 0)
        gate.release()
        for thread in threads { thread.join() }
    }

    @Test func `a response requested before an invalidation is not stored`() throws {
        let gate = Gate(Self.fresh())
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let outcomes = Notes<Result<Response, HTTPError>>()
        let threads = call(client, [.get("http://h/a")], outcomes)
        gate.arrived.wait(for: 1)
        let quick = ScriptedClient(ScriptedClient.status(204)).intercepted(by: .cache(cache))
        _ = try quick.send(.put("http://h/a"))
        gate.release()
        for thread in threads { thread.join() }
        #expect(try outcomes.all[0].get().cacheStatus?.isStored == false && cache.entries.isEmpty)
    }

    @Test func `a waiting call can be cancelled, and keeps its own timeout`() throws {
        let gate = Gate(Self.fresh())
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let outcomes = Notes<Result<Response, HTTPError>>()
        let leader = call(client, [.get("http://h/a")], Notes())
        gate.arrived.wait(for: 1)
        let token = CancellationToken()
        let cancelled = TestThread { token.run { outcomes.note(client.executeRequest(.get("http://h/a"))) } }
        #expect(waited { waiting(cache) == 1 })
        token.cancel()
        cancelled.join()
        guard case .cancelled(let record?) = outcomes.all.first?.failure else { return unexpected(outcomes.all) }
        #expect(record.phase == .collapsed && waiting(cache) == 0)
        let late = client.executeRequest(.get("http://h/a") |> .timeout(.milliseconds(20))).failure
        guard case .timedOut(let failure) = late else { return unexpected(late as Any) }
        #expect(failure.phase == .collapsed)
        gate.release()
        for thread in leader { thread.join() }
    }
}

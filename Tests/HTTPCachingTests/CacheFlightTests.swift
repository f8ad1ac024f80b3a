import TestSupport
@testable import HTTPCaching
import HTTPSupport
import Foundation
import HTTPTesting
import Testing

import HTTPCore

/// Many concurrent callers of one resource.
@Suite(.timeLimit(.minutes(5))) struct CacheFlightTests {
    /// Answers when allowed, and counts. Time stands still, so that no wait reaches its limit.
    private final class Gate: ClockedClient {
        let clock: CallClock = {
            let start = TimePoint.now
            return CallClock(
                now: { start }, unixTime: CallClock.system.unixTime,
                sleep: { signal, _, deadline in
                    signal.wait(until: deadline)
                })
        }()
        let arrived = Tally()
        let requests = Notes<Request>()
        private let open = Signal()
        private let holds: Int
        private let answer: @Sendable (Request) -> Result<Response, HTTPError>

        /// - Parameter holds: How many of the first requests wait for `release`.
        init(
            holding holds: Int = .max, _ answer: @escaping @Sendable (Request) -> Result<Response, HTTPError>
        ) { (self.holds, self.answer) = (holds, answer) }

        func release() { open.fire() }

        @available(*, noasync)
        func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
            requests.note(request)
            guard arrived.add() <= holds else { return answer(request) }
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

    @Test func `a failure is nobody else's: each waiting call asks the server itself`() throws {
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
        #expect(gate.requests.all.count == 10 && outcomes.all.count { $0.failure != nil } == 10)
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

    @Test func `those who wait for a confirmed file that moves get it where it is then`() throws {
        let scratch = try ScratchDirectory()
        let store = LateStore(isImmediate: false, DiskCacheStore(scratch.file("cache"), capacity: 1 << 21))
        let cache = HTTPCache(store)
        let gate = Gate(holding: 0) { request in
            let isFirst = request.headers["If-None-Match"] == nil
            if !isFirst { #expect(waited { cache.flights.waitingCount == 2 }) }
            let fields: HTTPHeaders =
                isFirst
                ? ["Cache-Control": "max-age=0", "ETag": "\"1\""] : ["Cache-Control": "max-age=60", "Vary": "A"]
            return .success(
                Response(
                    request: request, status: isFirst ? .ok : .notModified, headers: fields,
                    body: Data(count: isFirst ? 200_000 : 0)))
        }
        let client = gate.intercepted(by: .cache(cache))
        _ = try client.send(.get("http://h/a"))
        let waitingCounts = Notes<Int>()
        store.aroundNextStoring {
            waitingCounts.note(cache.flights.waitingCount)
        } after: {
        }
        let outcomes = Notes<Result<Response, HTTPError>>()
        for thread in call(client, Array(repeating: .get("http://h/a"), count: 3), outcomes) { thread.join() }
        #expect(waitingCounts.all == [2] && outcomes.all.count == 3)
        for outcome in outcomes.all { #expect(try outcome.get().body == Data(count: 200_000)) }
        #expect(gate.requests.all.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
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

    @Test func `a call after an invalidation does not join the exchange before it`() throws {
        let flights = CacheFlights()
        let key = CacheFlightKey(try CacheFixture.request([:]), [])
        guard case .lead(let first) = flights.join(key, at: .now), case .follow = flights.join(key, at: .now) else {
            throw Unexpected("no exchange to wait for")
        }
        flights.invalidate(nil)
        guard case .lead(let second) = flights.join(key, at: .now) else { throw Unexpected("an outdated exchange") }
        first.end(.notStored)
        guard case .follow = flights.join(key, at: .now) else { throw Unexpected("the end of the other") }
        second.end(.notStored)
        #expect(flights.count == 0)
    }

    @Test func `a call after another process's invalidation does not join the exchange before it`() throws {
        let flights = CacheFlights()
        let key = CacheFlightKey(try CacheFixture.request([:]), [])
        guard case .lead(let first) = flights.join(key, at: .now, 1), case .follow = flights.join(key, at: .now, 1)
        else { throw Unexpected("no exchange to wait for") }
        guard case .lead(let second) = flights.join(key, at: .now, 2) else { throw Unexpected("an outdated exchange") }
        first.end(.notStored)
        guard case .follow = flights.join(key, at: .now, 2) else { throw Unexpected("the end of the other") }
        second.end(.notStored)
        #expect(flights.count == 0)
    }

    @Test func `a waiting call can be cancelled`() throws {
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
        gate.release()
        for thread in leader { thread.join() }
    }

    @Test func `a call that is cancelled while it waits behind a redirect has the redirect in its record`() throws {
        let gate = Gate(holding: 1) { request in
            request.url.path == "/b"
                ? Self.fresh()(request)
                : .success(Response(request: request, status: .found, headers: ["Location": "/b"]))
        }
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let leader = call(client, [.get("http://h/b")], Notes())
        gate.arrived.wait(for: 1)
        let token = CancellationToken()
        let outcomes = Notes<Result<Response, HTTPError>>()
        let cancelled = TestThread { token.run { outcomes.note(client.executeRequest(.get("http://h/a"))) } }
        #expect(waited { waiting(cache) == 1 })
        token.cancel()
        cancelled.join()
        gate.release()
        for thread in leader { thread.join() }
        guard case .cancelled(let record?) = outcomes.all.first?.failure else { return unexpected(outcomes.all) }
        #expect(record.url == "http://h/b" && record.redirects.map(\.url.string) == ["http://h/a"])
        #expect(record.phase == .collapsed && record.metrics.attemptCount == 1)
    }

    // MARK: What is not shared

    private static let failures: [StubFailure] = [
        .unknownHost, .connection(.refused), .connection(.proxy), .connection(.outOfDescriptors), .connection(.broken),
        .destinationRefused(), .tls(.untrusted), .timedOut(.connect), .timedOut(.idle), .timedOut(.total), .cancelled,
        .other(CircuitOpen()),
    ]

    @Test(arguments: failures)
    func `what stops a call, its own limit, proxy or trust, stops no other that waits`(failure: StubFailure) throws {
        let isFirst = Locked(true)
        let gate = Gate(holding: 1) { request in
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard isFirst else { return Self.fresh()(request) }
            return StubClient().on(.get, "/a", answer: .failure(failure)).executeRequest(request)
        }
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let leader = Notes<Result<Response, HTTPError>>()
        let leading = call(client, [.get("http://h/a")], leader)
        gate.arrived.wait(for: 1)
        let outcomes = Notes<Result<Response, HTTPError>>()
        let threads = call(client, Array(repeating: .get("http://h/a"), count: 5), outcomes)
        #expect(waited { waiting(cache) == 5 })
        gate.release()
        for thread in leading + threads { thread.join() }
        #expect(leader.all[0].failure != nil)
        #expect(outcomes.all.count == 5 && outcomes.all.allSatisfy { (try? $0.get().body.count) == 100_000 })
        // One of them asked, for all.
        #expect(gate.requests.all.count == 2)
    }

    @Test func `a leader's limit of the body is no limit of the others, whose own holds for what they share`() throws {
        let gate = Gate(holding: 1, Self.fresh())
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let leading = call(client, [.get("http://h/a")], Notes())
        gate.arrived.wait(for: 1)
        let outcomes = Notes<Result<Response, HTTPError>>()
        let small = call(client, [.get("http://h/a") |> .bodyLimit(10)], outcomes)
        #expect(waited { waiting(cache) == 1 })
        gate.release()
        for thread in leading + small { thread.join() }
        guard case .limitExceeded(let failure)? = outcomes.all[0].failure else { return unexpected(outcomes.all) }
        #expect(failure.value == 10 && gate.requests.all.count == 1)
    }

    @Test func `an awaited call validates what blocking calls have left due, and nobody else meanwhile`() throws {
        let flights = CacheFlights()
        let key = CacheFlightKey(try CacheFixture.request(), [])
        guard case .others = flights.revalidation(of: key, canSendInBackground: false),
            case .background(let duty) = flights.revalidation(of: key, canSendInBackground: true)
        else { return unexpected("nobody validates it") }
        withExtendedLifetime(duty) {
            for isAwaited in [true, false] {
                guard case .others = flights.revalidation(of: key, canSendInBackground: isAwaited) else {
                    return unexpected("two validate it")
                }
            }
        }
    }

    @Test func `a validation in the background takes no more memory than its call might`() throws {
        func limits(_ draft: MutableRequest, atMost bytes: Int64) throws -> (isInMemory: Bool, bodyBytes: Int) {
            let request = try Request(draft).forRevalidation(atMost: bytes)
            return (request.destination.isMemory, request.limits.bodyBytes)
        }
        let get = MutableRequest.get("http://h/a")
        #expect(try limits(get, atMost: 1 << 30) == (true, 64 << 20))
        #expect(try limits(get, atMost: 1 << 20) == (true, 1 << 20))
        #expect(try limits(get |> .bodyLimit(10), atMost: 1 << 20) == (true, 10))
        let file = get |> .destination(.file("/dev/null"))
        #expect(try limits(file, atMost: 1 << 30) == (false, 1 << 30))
        #expect(try limits(file |> .bodyLimit(10), atMost: 1 << 30) == (false, 10))
    }

    // MARK: How long calls wait

    private static let heads: [(HTTPStatus, HTTPHeaders, isShared: Bool)] = [
        (.ok, ["Cache-Control": "no-store"], false), (.ok, ["Cache-Control": "max-age=60", "Vary": "*"], false),
        (.ok, ["Cache-Control": "max-age=60", "Vary": "not a name"], false),
        (.ok, ["Cache-Control": "max-age=60", "Content-Length": "99999999"], false),
        (.ok, ["Cache-Control": "no-cache"], false), (.ok, ["Content-Type": "text/event-stream"], false),
        (.internalServerError, [:], false), (.found, ["Location": "/b"], false), (.unauthorized, [:], false),
        (.ok, ["Cache-Control": "max-age=60"], true), (.ok, ["Cache-Control": "max-age=60", "Vary": "Accept"], true),
        (.ok, ["Cache-Control": "no-cache", "ETag": "\"1\""], true),
        (.movedPermanently, ["Cache-Control": "max-age=60", "Location": "/b"], true),
    ]

    @Test(arguments: heads)
    func `waiting calls are let go when the head shows that they will not get the response`(
        status: HTTPStatus, headers: HTTPHeaders, isShared: Bool
    ) throws {
        let gate = Gate(holding: 1, Self.fresh())
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let leading = call(client, [.get("http://h/a")], Notes())
        gate.arrived.wait(for: 1)
        let outcomes = Notes<Result<Response, HTTPError>>()
        let threads = call(client, Array(repeating: .get("http://h/a"), count: 3), outcomes)
        #expect(waited { waiting(cache) == 3 })
        let observer = try #require(gate.requests.all[0][HeadObserverKey.self])
        observer(status, headers, headers["Content-Length"].flatMap { Int64($0) }, false)
        // The first goes on: only now may it end.
        if isShared { #expect(waiting(cache) == 3) } else { for thread in threads { thread.join() } }
        #expect(gate.requests.all.count == (isShared ? 1 : 4))
        gate.release()
        for thread in leading + threads { thread.join() }
        #expect(outcomes.all.allSatisfy { (try? $0.get().body.count) == 100_000 } && cache.flights.count == 0)
    }

    @Test func `what a stream receives is nobody else's, and a stream waits for nobody`() throws {
        let gate = Gate(Self.fresh())
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let stream = MutableRequest.get("http://h/a") |> .destination(.discard)
        let outcomes = Notes<Result<Response, HTTPError>>()
        let threads = call(client, [stream, .get("http://h/a"), stream], outcomes)
        #expect(gate.arrived.wait(for: 3) && waiting(cache) == 0)
        gate.release()
        for thread in threads { thread.join() }
        #expect(outcomes.all.allSatisfy { (try? $0.get()) != nil })
    }

    @Test func `a response to a stream that was requested before an invalidation is not stored`() throws {
        let gate = Gate(Self.fresh())
        let cache = HTTPCache.memory(megabytes: 8)
        let client = gate.intercepted(by: .cache(cache))
        let outcomes = Notes<Result<Response, HTTPError>>()
        let threads = call(client, [.get("http://h/a") |> .header("Cache-Control", "no-cache")], outcomes)
        gate.arrived.wait(for: 1)
        try cache.remove(HTTPURL("http://h/a"))
        gate.release()
        for thread in threads { thread.join() }
        #expect(try outcomes.all[0].get().cacheStatus?.isStored == false && cache.entries.isEmpty)
    }

    /// A call of a driver that does nothing.
    private final class StillCall: PolicyCall {
        let clock: CallClock
        var isCancelled: Bool { false }

        init(_ clock: CallClock) { self.clock = clock }
    }

    @Test func `a call waits until two seconds after the start, and a quarter of its own time`() throws {
        let cache = HTTPCache.memory(megabytes: 8)
        let start = TimePoint.now
        let now = Locked(start)
        let clock = CallClock(
            now: { now.withLock { $0 } }, unixTime: { 0 }, sleep: { _, _, _ in false }, isSimulated: true)
        var kept: [PolicyRun] = []
        func begin(_ draft: MutableRequest, after milliseconds: Int) throws -> Duration? {
            now.withLock { $0 = start + .milliseconds(milliseconds) }
            var run = PolicyRun([CachePolicy(cache)], StillCall(clock))
            let effect = run.start(try Request(draft))
            kept.append(run)
            guard case .wait(let wait) = effect else { return nil }
            return wait.end.map { start.duration(to: $0) }
        }
        let get = MutableRequest.get("http://h/a")
        #expect(try begin(get, after: 0) == nil)
        for (draft, time, end) in [
            (get, 0, 2000), (get, 500, 2000), (get |> .timeout(.seconds(4)), 100, 1100),
            (get |> .timeout(.milliseconds(200)), 1000, 1050), (get |> .timeout(nil), 1999, 2000),
        ] {
            let found = try #require(try begin(draft, after: time))
            #expect(abs(found / .milliseconds(1) - Double(end)) < 1)
        }
        // From then on another call asks, and others wait for it.
        #expect(try begin(get, after: 2000) == nil)
        #expect(try begin(get, after: 2100) != nil)
        // When its wait is over, a call asks for itself.
        now.withLock { $0 = start + .milliseconds(1100) }
        guard case .send = kept[3].resume() else { return unexpected("it still waits") }
    }
}

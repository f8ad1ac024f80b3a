import HTTPCore
import HTTPTesting
import Synchronization
import Testing

@testable import HTTPAsync

/// Many requests in one blocking call, over clients that make one at a time per thread.
@Suite(.timeLimit(.minutes(5))) struct DispatchedBatchTests {
    typealias Outcome = Result<Response, HTTPError>

    func requests(_ count: Int, to base: String = "http://a.example/") throws -> [Request] {
        try (0..<count).map { try Request(.get("\(base)\($0)")) }
    }

    /// Blocking code runs on its own thread, not on the test's.
    func blocking<Value: Sendable>(
        on caller: Dispatcher = .limited(to: 1), _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            caller.submit({ .success(work()) }) { continuation.resume(returning: try? $0.get()) }
        }
    }

    @Test func `the dispatcher's threads make the requests, as many at once as requested`() async throws {
        let dispatcher = Dispatcher.limited(to: 10)
        let gated = GatedClient()
        let own = Locked<[Bool]>([])
        let client = gated.intercepted(
            by: Interceptor { request, next in
                own.withLock { $0.append(WorkerThread.worker?.pool === dispatcher.pool) }
                return next.executeRequest(request)
            })
        let all = try requests(9)
        async let results = blocking { client.executeRequests(all, on: dispatcher, maxConcurrent: 3) }
        await gated.arrived.happened(3)
        #expect(dispatcher.pool.schedule.withLock { $0.running + $0.queue.count } == 3)
        gated.gate.signal()
        #expect(await results?.map { try? $0.get().request.url.target } == (0..<9).map { "/\($0)" })
        #expect(own.withLock { $0 } == Array(repeating: true, count: 9))
        #expect(gated.served.withLock { $0.sorted() } == (0..<9).map { "/\($0)" })
    }

    @Test func `results are in the order of the requests, whatever the order of arrival`() async throws {
        let later = Event()
        let client = StubClient { request in
            if request.url.target == "/0" { later.block(3) } else { later.signal() }
            return .success(Response(request: request, status: .ok))
        }
        let all = try requests(4)
        let results = await blocking { client.executeRequests(all, on: .limited(to: 4)) }
        #expect(results?.map { try? $0.get().request.url.target } == ["/0", "/1", "/2", "/3"])
    }

    @Test func `results are delivered as they arrive`() async throws {
        let taken = Event()
        let client = StubClient { request in
            if request.url.target == "/0" { taken.block(3) }
            return .success(Response(request: request, status: .ok))
        }
        let all = try requests(4)
        let order = await blocking { () -> [Int] in
            var order: [Int] = []
            client.executeRequests(all, on: .limited(to: 4)) { index, result in
                order.append((try? result.get().request.url.target) == "/\(index)" ? index : -1)
                taken.signal()
            }
            return order
        }
        #expect(order?.last == 0)
        #expect(order?.sorted() == [0, 1, 2, 3])
    }

    @Test func `results are delivered on the calling thread, and meanwhile the next request is sent`() async throws {
        let (client, calls) = (StubClient.ok, Event())
        let counted = client.intercepted(
            by: Interceptor { request, next in
                calls.signal()
                return next.executeRequest(request)
            })
        let all = try requests(2)
        let caller = Dispatcher.limited(to: 1)
        let places = await blocking(on: caller) { () -> [Int] in
            let thread = WorkerThread.worker
            var places: [Int] = []
            counted.executeRequests(all, on: .limited(to: 1), maxConcurrent: 1) { index, _ in
                if index == 0 { calls.block(2) }
                if WorkerThread.worker === thread { places.append(index) }
            }
            return places
        }
        #expect(places == [0, 1])
    }

    @Test func `the failure of one request does not affect the others`() async throws {
        let client = StubClient { request in
            guard request.url.target == "/1" else { return .success(Response(request: request, status: .ok)) }
            return .failure(.cancelled(CallRecord(request)))
        }
        let all = try requests(3)
        let results = await blocking { client.executeRequests(all, on: .limited(to: 2)) }
        #expect(results?.map { $0.failure == nil } == [true, false, true])
    }

    @Test func `a token cancels the request at its index, and the ambient token all unfinished ones`() async throws {
        let client = PatientClient()
        let (own, ambient) = (CancellationToken(), CancellationToken())
        let all = try requests(4)
        let places = Locked<[Int]>([])
        let first = Event()
        async let done: Void? = blocking {
            ambient.run {
                client.executeRequests(all, on: .limited(to: 4), maxConcurrent: 2, tokens: [nil, own]) {
                    index, result in
                    if case .failure(.cancelled) = result { places.withLock { $0.append(index) } }
                    first.signal()
                }
            }
        }
        await client.arrived.happened(2)
        own.cancel()
        await first.happened()
        #expect(places.withLock { $0 } == [1])
        await client.arrived.happened(3)
        ambient.cancel()
        await done
        #expect(places.withLock { $0.sorted() } == [0, 1, 2, 3])
        // The last one was never sent.
        #expect(client.arrived.count == 3)
    }

    @Test func `the receiver of a result may cancel the rest`() async throws {
        let client = StubClient.ok
        let sent = Locked<[String]>([])
        let counted = client.intercepted(
            by: Interceptor { request, next in
                sent.withLock { $0.append(request.url.target) }
                return next.executeRequest(request)
            })
        let all = try requests(50)
        let token = CancellationToken()
        let results = await blocking { () -> [Bool] in
            var isCancelled = [Bool](repeating: false, count: 50)
            token.run {
                counted.executeRequests(all, on: .limited(to: 1), maxConcurrent: 1) { index, result in
                    if case .failure(.cancelled) = result { isCancelled[index] = true }
                    token.cancel()
                }
            }
            return isCancelled
        }
        // The second one may already have been sent.
        #expect(results?.prefix(1) == [false])
        #expect(results?.dropFirst(2).allSatisfy(\.self) == true)
        #expect(sent.withLock { $0.count } <= 2)
    }

    @Test func `in a full dispatcher a batch within a call runs on that call's thread`() async throws {
        let dispatcher = Dispatcher.limited(to: 1)
        let workers = Locked<[ObjectIdentifier?]>([])
        let client = StubClient.ok.intercepted(
            by: Interceptor { request, next in
                workers.withLock { $0.append(WorkerThread.worker.map(ObjectIdentifier.init)) }
                return next.executeRequest(request)
            })
        let all = try requests(3)
        let outer = await blocking(on: dispatcher) { () -> (worker: ObjectIdentifier?, results: [Outcome]) in
            let results = client.executeRequests(all, on: dispatcher)
            return (WorkerThread.worker.map(ObjectIdentifier.init), results)
        }
        #expect(outer?.results.map { try? $0.get().request.url.target } == ["/0", "/1", "/2"])
        #expect(workers.withLock { $0 } == Array(repeating: outer?.worker, count: 3))
    }

    @Test func `so does one within deeply nested callbacks, where other calls are deferred`() async throws {
        let dispatcher = Dispatcher.limited(to: 1)
        let all = try requests(3)
        let found = Locked<Int?>(nil)
        @Sendable func nest(_ depth: Int) {
            guard depth > 0 else {
                let results = StubClient.ok.executeRequests(all, on: dispatcher)
                return found.withLock { $0 = results.count { $0.failure == nil } }
            }
            dispatcher.submit({ .success(()) }) { (_: Result<Void, HTTPError>) in nest(depth - 1) }
        }
        _ = await blocking(on: dispatcher) { nest(16) }
        #expect(found.withLock { $0 } == 3)
    }

    @Test func `a total timeout counts from the submission, and one deadline may apply to all`() async throws {
        let dispatcher = Dispatcher.limited(to: 1)
        let gated = GatedClient()
        let short = try Request(.get("http://a.example/late") |> .timeout(.milliseconds(20)))
        let plain = try Request(.get("http://a.example/plain"))
        dispatcher.submit({ gated.executeRequest(plain) }) { _ in }
        await gated.arrived.happened()
        let results = await blocking {
            CallDeadline(.milliseconds(40)).run { gated.executeRequests([short, plain], on: dispatcher) }
        }
        #expect(gated.served.withLock { $0 } == ["/plain"])
        gated.gate.signal()
        let timeouts = results?.map { result -> Duration? in
            if case .failure(.timedOut(let failure)) = result { failure.duration } else { nil }
        }
        #expect(timeouts == [.milliseconds(20), .milliseconds(40)])
    }

    @Test func `a request that does not fit into the dispatcher's queue is overloaded at its index`() async throws {
        let dispatcher = Dispatcher.limited(to: 1, queued: 1)
        let gated = GatedClient()
        let all = try requests(3)
        let results = await blocking { () -> [Outcome] in
            var results: [Int: Outcome] = [:]
            gated.executeRequests(all, on: dispatcher) { index, result in
                results[index] = result
                gated.gate.signal()
            }
            return (0..<3).compactMap { results[$0] }
        }
        #expect(results?.map { $0.failure == nil } == [true, true, false])
        if case .failure(.overloaded)? = results?.last {} else { Issue.record("\(String(describing: results?.last))") }
        #expect(gated.served.withLock { $0 } == ["/0", "/1"])
    }

    @Test func `a draft that cannot be built is invalid at its index, and the others are sent`() async {
        let gated = GatedClient()
        gated.gate.signal()
        let urls = ["http://a.example/0", "ftp://a.example", "http://a.example/2"]
        let results = await blocking { gated.executeRequests(urls.map { .get($0) }, on: .limited(to: 1)) }
        #expect(results?.map { $0.failure == nil } == [true, false, true])
        #expect(gated.served.withLock { $0 } == ["/0", "/2"])
    }

    @Test func `no requests give no results, and a limit of zero counts as one`() async throws {
        let none: [Request] = []
        let one = try requests(1)
        let counts = await blocking {
            [
                StubClient.ok.executeRequests(none, on: .limited(to: 1)).count,
                StubClient.ok.executeRequests(one, on: .limited(to: 1), maxConcurrent: 0).count,
            ]
        }
        #expect(counts == [0, 1])
    }
}

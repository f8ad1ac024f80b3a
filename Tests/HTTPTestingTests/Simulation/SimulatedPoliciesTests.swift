import HTTPAsync
import HTTPCaching
import HTTPCore
import HTTPPolicies
import HTTPSupport
import HTTPTesting
import TestSupport
import Testing

/// The package's own policies in many worlds.
@Suite struct SimulatedPoliciesTests {
    private static let invariants =
        SimulationInvariant.standard + [
            .retries(atMost: 2), .rate(5, per: .seconds(1)), .atOnce(1, to: "/token"), .atOnce(4, perHost: true),
        ]

    /// A client whose token, if it has one, is refused until it is refreshed.
    private static func client(_ world: SimulatedWorld, _ hasToken: Bool) -> any HTTPClient {
        guard hasToken else { return world.client(.retry(), .rateLimit(5, per: .seconds(1))) }
        world.serve(
            StubClient()
                .on(.post, "https://auth.example/token") { _ in .text("fresh").taking(.milliseconds(200)) }
                .on("**", .header("Authorization", "Bearer fresh"), answer: .ok)
                .on("**", answer: .status(.unauthorized)))
        let plain = world.transport
        let tokens = BearerTokens("old") { _ in
            let answer = try plain.send(.post("https://auth.example/token") |> .timeout(.seconds(20))).validated()
            return String(decoding: answer.body, as: UTF8.self)
        }
        return world.client(.retry(), .bearer(tokens), .rateLimit(5, per: .seconds(1)))
    }

    private static func requests(_ user: Int) -> [MutableRequest] {
        [
            .get("https://shop.example/items/\(user)") |> .timeout(.seconds(40)),
            .post("https://shop.example/payments") |> .json(["user": user]) |> .idempotencyKey("\(user)")
                |> .timeout(.seconds(20)),
        ]
    }

    private static func blocking(_ seeds: Range<UInt64>, hasToken: Bool = true) -> Simulation {
        Simulation(seeds: seeds, invariants: invariants) { world in
            let client = client(world, hasToken)
            world.users { user in for request in requests(user) { _ = client.executeRequest(request) } }
        }
    }

    private static func awaited(_ seeds: Range<UInt64>, hasToken: Bool = true) -> Simulation {
        Simulation(seeds: seeds, invariants: invariants) { world async in
            let client = client(world, hasToken)
            await world.users { user in for request in requests(user) { _ = try? await client.send(request) } }
        }
    }

    /// A batch for each request, so that its users do the same.
    private static func batched(_ seeds: Range<UInt64>, hasToken: Bool = true) -> Simulation {
        Simulation(seeds: seeds, invariants: invariants) { world in
            let client = client(world, hasToken)
            world.users { user in for request in requests(user) { _ = client.executeRequests([request]) } }
        }
    }

    private static func batch(_ seeds: Range<UInt64>, hasToken: Bool = true) -> Simulation {
        Simulation(seeds: seeds, invariants: invariants) { world in
            let client = client(world, hasToken)
            _ = client.executeRequests((1...3).flatMap { requests($0) }, maxConcurrent: 4)
        }
    }

    @Test func `No blocking call violates an invariant`() throws {
        let report = try Self.blocking(0..<UInt64(Soak.count(400_000, or: 200))).check()
        #expect(report.exchanges > report.calls && report.calls > Int(report.worlds))
        #expect(report.duration(ofShare: 0.5) < report.duration(ofShare: 0.99))
    }

    @Test func `No awaited call violates an invariant`() throws {
        try Self.awaited(0..<UInt64(Soak.count(400_000, or: 200))).check()
    }

    @Test func `No batch violates an invariant`() throws {
        try Self.batch(0..<UInt64(Soak.count(200_000, or: 150))).check()
    }

    @Test func `Two hosts that are down have two budgets of retries`() throws {
        func simulation(_ retry: Interceptor, _ invariant: SimulationInvariant) -> Simulation {
            Simulation(seeds: 0..<1, faults: [], invariants: [invariant]) { world in
                world.serve(StubClient().on("**", answer: .status(.serviceUnavailable)))
                let client = world.client(retry)
                for host in ["a", "b"] {
                    for number in 0..<12 { _ = client.executeRequest(.get("https://\(host).example/\(number)")) }
                }
            }
        }
        #expect(try simulation(.retry(), .retries(atMost: 2)).check().exchanges == 2 * (12 + 20))
        #expect(throws: (any Error).self) { try simulation(.retry(), .retries(atMost: 2, perOrigin: false)).check() }
        let one = try simulation(.retry(budget: RetryBudget()), .retries(atMost: 2, perOrigin: false)).check()
        #expect(one.exchanges == 2 * 12 + 20)
        #expect(throws: (any Error).self) {
            try simulation(.retry(budget: RetryBudget(capacity: 21)), .retries(atMost: 2, capacity: 10)).check()
        }
    }

    @Test func `A request of a batch that gets no slot for its next attempt ends at its timeout`() throws {
        let ends = Locked<[Int: Duration]>([:])
        try Simulation(seeds: 0..<1, faults: [], latency: .constant(.milliseconds(40))) { world in
            world.serve(
                StubClient().on("**/slow", answer: .ok.taking(.seconds(10)))
                    .on("**", answer: .status(.serviceUnavailable)))
            let requests: [MutableRequest] = [
                .get("https://shop.example/busy") |> .timeout(.seconds(2)),
                .get("https://shop.example/slow") |> .timeout(.seconds(20)),
            ]
            world.client(.retry()).executeRequests(requests, maxConcurrent: 1) { index, _ in
                ends.withLock { $0[index] = world.elapsed }
            }
        }.check()
        let (busy, slow) = ends.withLock { ($0[0], $0[1]) }
        #expect(busy == .seconds(2))
        #expect(try #require(slow) > .seconds(10))
    }

    @Test func `What a cache validates in the background belongs to no call`() throws {
        try Simulation(seeds: 0..<100) { world async in
            world.serve(
                StubClient().on("**") { _ in
                    .text("news").header("Cache-Control", "max-age=1, stale-while-revalidate=60")
                })
            let client = world.client(.cache(.memory(megabytes: 1)), .retry())
            await world.users { _ in
                for _ in 0..<4 {
                    _ = try? await client.get("https://shop.example/news")
                    await world.sleep(for: .seconds(2))
                }
            }
        }.check()
    }

    @Test func `A suspending closure behind a policy that waits runs in the world`() throws {
        try Simulation(seeds: 0..<100) { world async in
            let suspending = Interceptor { request, next async throws in try await next.send(request) }
            let client = world.client(.retry(), .rateLimit(5, per: .seconds(1)), suspending)
            await world.users { user in try await client.get("https://shop.example/\(user)") }
        }.check()
    }

    @Test func `A blocking call through a suspending closure runs in the world`() throws {
        try Simulation(seeds: 0..<100) { world in
            let suspending = Interceptor { request, next async throws in try await next.send(request) }
            let client = world.client(suspending)
            world.users { user in _ = client.executeRequest(.get("https://shop.example/\(user)")) }
        }.check()
    }

    @Test func `A suspending refresh runs in the world, and ends at its time limit`() throws {
        let ends = Locked<[Duration]>([])
        try Simulation(seeds: 0..<100, faults: []) { world async in
            world.serve(
                StubClient().on("**") { request in
                    request.headers["Authorization"] == "Bearer new" ? .ok : .status(401)
                })
            let tokens = BearerTokens("old") { _ async throws in
                await Task.yield()
                return "new"
            }
            let client = world.client(.bearer(tokens))
            await world.users { user in try await client.get("https://shop.example/\(user)") }
            let endless = BearerTokens(refreshTimeout: .seconds(2)) { _ async throws in
                await world.sleep(for: .seconds(50))
                return "late"
            }
            _ = try? await world.client(.bearer(endless)).get("https://shop.example/")
            ends.withLock { $0.append(world.elapsed) }
        }.check()
        #expect(ends.withLock { $0.count == 100 && $0.allSatisfy { $0 < .seconds(30) } })
    }

    /// The first request asks, and the others wait until it has its answer.
    private struct AskingFirst: CallPolicy {
        let isAsked = Locked(false)
        let answered = PolicySignal()
        private var isFirst = false

        mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
            switch event {
            case .started:
                isFirst = isAsked.withLock { isAsked in
                    defer { isAsked = true }
                    return !isAsked
                }
                return isFirst ? .pass : .wait(for: answered, because: .named("the first"))
            case .resumed: return .pass
            case .answered(let outcome):
                if isFirst { answered.fire() }
                return .finish(outcome)
            case .interrupted(let error): return .finish(.failure(error))
            }
        }
    }

    @Test func `A request of a batch that all others wait for is tried again, though they have the slots`() throws {
        let ends = Locked<[Duration]>([])
        try Simulation(seeds: 0..<1, faults: [], latency: .constant(.milliseconds(40))) { world in
            let count = Locked(0)
            world.serve(
                StubClient().on("**") { _ in
                    let number = count.withLock { count in
                        count += 1
                        return count
                    }
                    return number == 1 ? .status(.serviceUnavailable) : .ok
                })
            let requests: [MutableRequest] = (1...3).map {
                .get("https://shop.example/\($0)") |> .timeout(.seconds(30))
            }
            let client = world.client(Interceptor(AskingFirst()), .retry())
            client.executeRequests(requests, maxConcurrent: 2) { _, result in
                if (try? result.get().status) == .ok { ends.withLock { $0.append(world.elapsed) } }
            }
        }.check()
        #expect(ends.withLock { $0.count == 3 && $0.allSatisfy { $0 < .seconds(10) } })
    }

    @Test func `Blocking calls, awaited ones and batches have the same course, event by event`() {
        func check(_ seed: UInt64, _ hasToken: Bool, _ faults: Set<SimulationFault>) {
            let seeds = seed..<seed + 1
            let courses = [Self.blocking, Self.awaited, Self.batched].map { make in
                var simulation = make(seeds, hasToken)
                simulation.faults = faults
                return simulation.replay(seed: seed)
            }
            #expect(courses[0] == courses[1], "seed \(seed)")
            #expect(courses[0] == courses[2], "seed \(seed)")
        }
        for seed in UInt64(0)..<UInt64(Soak.count(20_000, or: 100)) {
            check(seed, false, Set(SimulationFault.allCases))
            // A call that ends during the refresh of a token leaves it if it is awaited, and otherwise waits for it.
            check(seed, true, [])
        }
    }
}

import HTTPAsync
import HTTPCore
import HTTPPolicies
import HTTPSupport
import Synchronization
import TestSupport
import Testing

@testable import HTTPTesting

/// What simulations find and say.
@Suite struct SimulationTests {
    private static let item = MutableRequest.get("https://shop.example/items/1")

    @Test(arguments: PlantedFault.all)
    func `A planted fault is found, shrunk to ten events at most, and does the same again`(_ fault: PlantedFault) throws
    {
        let found = try #require(fault.simulation.run().violation)
        #expect(found.invariant == fault.invariant)
        #expect((1...10).contains(found.events.count))
        let replays = Soak.count(10, or: 2)
        #expect(Set((0..<replays).map { _ in fault.simulation.replay(seed: found.seed) }).count == 1)
        #expect(Set((0..<replays).map { _ in fault.simulation.replay(found) }).count == 1)
    }

    @Test func `A violation names the seed and the sentence, and draws its events`() throws {
        let simulation = Simulation(seeds: 0..<1000, latency: .constant(.milliseconds(40))) { world in
            let client = world.client(.retry(RetryPolicy(backoff: Backoff(jitter: { 0 }), repeatsAnyMethod: true)))
            try client.post("https://shop.example/payments", .json(["amount": 7]))
        }
        let violation = try #require(simulation.run().violation)
        let lines = "\(violation)".split(separator: "\n")
        #expect(lines.first == "seed \(violation.seed): no write is processed twice")
        #expect(lines.dropFirst().first == "POST https://shop.example/payments was processed twice without a key")
        #expect(lines.contains("     20 ms ··█····· call 1.1 the server does it"))
        #expect(lines.last == "Run it again with replay(seed: \(violation.seed)).")
    }

    @Test func `A world that is over is released, whatever it served`() throws {
        struct Weak: Sendable { weak var world: SimulatedWorld? }
        let worlds = Locked<[Weak]>([])
        let simulation = Simulation(seeds: 0..<20) { world in
            worlds.withLock { $0.append(Weak(world: world)) }
            world.serve(StubClient().on("**", answer: .text("ok")))
            _ = world.client(.retry()).executeRequest(Self.item)
        }
        try simulation.check()
        #expect(!simulation.replay(seed: 3).isEmpty)
        let left = worlds.withLock { worlds in worlds.count { $0.world != nil } }
        #expect(left == 0)
        #expect(worlds.withLock { $0.count } == 21)
    }

    @Test func `A stub from a closure serves a world, and a request known by its key is not made again`() throws {
        let made = Locked(0)
        let report = try Simulation(seeds: 0..<1, faults: []) { world in
            world.serve(
                StubClient { request in
                    made.withLock { $0 += 1 }
                    return .success(Response(request: request, status: .created))
                })
            let client = world.client()
            for _ in 0..<2 {
                let response = try client.post("https://shop.example/payments", .header("Idempotency-Key", "k"))
                #expect(response.status == .created)
            }
        }.check()
        #expect(report.exchanges == 2)
        #expect(made.withLock { $0 } == 1)
    }

    @Test func `A sleep that a task outside of the world begins is noted`() {
        let scheduler = WorldScheduler(seed: 1, limit: 10) {}
        scheduler.add(at: scheduler.now + .seconds(1), if: { true }) {}
        let isNoted = scheduler.hasForeign.load(ordering: .relaxed)
        #expect(isNoted)
    }

    @Test func `A seed range that is empty is a violation`() throws {
        let violation = try #require(throws: SimulationViolation.self) { try Simulation(seeds: 5..<5) { _ in }.check() }
        #expect("\(violation)".contains("the seed range 5..<5 is empty"))
    }

    @Test func `All seeds there are may be tried, up to the first violation`() throws {
        struct Wrong: Error {}
        let violation = try #require(Simulation(seeds: 0 ..< .max) { _ in throw Wrong() }.run().violation)
        #expect(violation.seed == 0)
    }

    @Test func `A thread that waits for ever is named, and the next world runs`() throws {
        let simulation = Simulation(seeds: 0..<3, faults: [], stepLimit: 1000, threads: 1) { world in
            let client = world.client()
            while true { _ = client.executeRequest(Self.item) }
        }
        let violation = try #require(simulation.run().violation)
        #expect(violation.sentence.contains("the world did not end within 1000 steps"))
    }

    @Test func `An error of the code that is none of HTTP is a violation, and an HTTPError is none`() throws {
        struct Wrong: Error {}
        try Simulation(seeds: 0..<3) { _ in throw HTTPError.cancelled(nil) }.check()
        let violation = try #require(throws: SimulationViolation.self) {
            try Simulation(seeds: 0..<3) { _ in throw Wrong() }.check()
        }
        #expect(violation.invariant == "the code throws no unexpected error")
        #expect(
            violation.sentence == "the code threw Wrong(): `ignoring` of the Simulation takes errors that are expected")
    }

    @Test func `Errors that are expected are no violation, whether code blocks or awaits, and others are one`() throws {
        enum ShopError: Error { case transport(HTTPError), outOfStock }
        let isExpected: @Sendable (any Error) -> Bool = { if case ShopError.transport = $0 { true } else { false } }
        let blocking = Simulation(seeds: 0..<20, faults: [.refused], ignoring: isExpected) { world in
            let client = world.client()
            world.users { _ in
                do throws(HTTPError) { try client.send(Self.item) } catch { throw ShopError.transport(error) }
            }
            throw ShopError.transport(.cancelled(nil))
        }
        let awaiting = Simulation(seeds: 0..<20, faults: [.refused], ignoring: isExpected) { world async throws in
            let client = world.client()
            await world.users { _ in
                do throws(HTTPError) { try await client.send(Self.item) } catch { throw ShopError.transport(error) }
            }
            throw ShopError.transport(.cancelled(nil))
        }
        for simulation in [blocking, awaiting] { #expect(try simulation.check().exchanges > 20) }
        let violation = try #require(throws: SimulationViolation.self) {
            try Simulation(seeds: 0..<3, ignoring: isExpected) { world in
                world.users { _ in throw ShopError.outOfStock }
            }.check()
        }
        #expect(violation.invariant == "the code throws no unexpected error")
        #expect(violation.sentence.contains("outOfStock"), "\(violation.sentence)")
    }

    @Test func `A wrong script of the server is a violation, and not a failure of the call`() throws {
        struct Wrong: Error {}
        let scripts = [
            (StubClient(strict: true), "items/1"),
            (StubClient().on(.get, "/item/1", answer: .ok), "no route answers GET https://shop.example/items/1"),
            (StubClient().on(.get, "/items/1") { _ in throw Wrong() }, "its closure threw Wrong()"),
            (StubClient().on(.get, "/items/1", answer: .status(99)), "its status is 99"),
            (StubClient().on(.get, "/items/1") { _ in .status(503).then(.ok) }, "its closure made a sequence"),
        ]
        for (stub, words) in scripts {
            let violation = try #require(throws: SimulationViolation.self) {
                try Simulation(seeds: 0..<1, faults: []) { world in
                    world.serve(stub)
                    _ = world.client().executeRequest(Self.item)
                }.check()
            }
            #expect(violation.invariant == "the server has an answer to every request")
            #expect(violation.sentence.contains(words), "\(violation.sentence)")
        }
    }

    @Test func `A request that no route answers is named before the error that code makes of it`() throws {
        struct ShopError: Error { let cause: HTTPError }
        let violation = try #require(throws: SimulationViolation.self) {
            try Simulation(seeds: 0..<1, faults: []) { world in
                world.serve(StubClient(strict: true, base: "https://shop.example/v1").on(.get, "/items/1", answer: .ok))
                do throws(HTTPError) { try world.client().send(Self.item) } catch {
                    #expect("\(error)".hasSuffix("/v1/items/1: ✗ path /v1/items/1: it is /items/1"), "\(error)")
                    throw ShopError(cause: error)
                }
            }.check()
        }
        #expect(violation.invariant == "the server has an answer to every request")
        #expect("\(violation)".contains("\n      ✗ path /v1/items/1: it is /items/1"), "\(violation)")
    }

    @Test func `A request that cannot be made is a violation, and so are calls of which none is watched`() throws {
        let wrong = Simulation(seeds: 0..<3) { world in
            _ = try? world.client().send(Self.item)
            try world.client().send(Self.item |> .header("X", "a\nb"))
        }
        let violation = try #require(throws: SimulationViolation.self) { try wrong.check() }
        #expect(violation.sentence.contains("the value of the header X"), "\(violation.sentence)")
        let unwatched = Simulation(seeds: 3..<5) { world in _ = world.transport.executeRequest(Self.item) }
        let missing = try #require(throws: SimulationViolation.self) { try unwatched.check() }
        #expect(missing.seed == 3)
        #expect(missing.sentence.contains("world.watching"), "\(missing.sentence)")
    }

    @Test func `A write that leads to its result by 303 is processed, and known by its key`() throws {
        let simulation = Simulation(seeds: 0..<1, faults: []) { world in
            world.serve(StubClient().on(.post, "/payments", answer: .status(303)))
            let client = world.client()
            for _ in 0..<2 { _ = client.executeRequest(.post("https://shop.example/payments") |> .text("7")) }
        }
        let violation = try #require(throws: SimulationViolation.self) { try simulation.check() }
        #expect(violation.sentence.contains("was processed twice"))
    }

    /// Posts the same twice.
    private static func posting(
        _ step: RequestStep, to path: String, checked invariants: [SimulationInvariant] = SimulationInvariant.standard
    ) -> Simulation {
        Simulation(seeds: 0..<1, faults: [], invariants: invariants) { world in
            let client = world.client()
            for _ in 0..<2 { try client.post("https://shop.example" + path, step) }
        }
    }

    @Test(arguments: [
        "client_credentials", "password", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange",
        "https://login.example/grants/service",
    ]) func `A request for a token is no write, as its body is the same each time`(_ grant: String) throws {
        let step = RequestStep.form(["scope": "billing", "grant_type": grant])
        #expect(try Self.posting(step, to: "/oauth/token").check().exchanges == 2)
    }

    @Test(
        arguments: [
            .form(["grant_type": "authorization_code", "code": "c-1"]), .form(["grant_type": "equity"]),
            .form(["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": "d-1"]),
            .form(["grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": "a-1"]),
            .json(["grant_type": "client_credentials"]),
        ] as [RequestStep])
    func `One with a code is a write, since that is for one use, and so is what no token endpoint takes`(
        _ step: RequestStep
    ) throws {
        let violation = try #require(throws: SimulationViolation.self) {
            try Self.posting(step, to: "/oauth/token").check()
        }
        #expect(violation.sentence.contains("was processed twice without a key"))
    }

    @Test func `Writes to a path may be excepted, whatever their query, and others are not`() throws {
        let excepting = SimulationInvariant.writesOnce(except: "/search", "login")
        for path in ["/search?page=2", "/login"] {
            #expect(try Self.posting(.text("q"), to: path, checked: [excepting]).check().exchanges == 2)
        }
        let violation = try #require(throws: SimulationViolation.self) {
            try Self.posting(.text("q"), to: "/search/7", checked: [excepting]).check()
        }
        #expect(violation.invariant == SimulationInvariant.writesOnce.name)
    }

    @Test func `Of a world that waits for real time and stands still, real time is named first`() {
        let simulation = Simulation(seeds: 0..<1) { _ in }
        let record = SimulationRecord(
            events: [SimulationEvent](), ending: .stuck, hasForeign: true, thrown: "what came of it")
        #expect(simulation.finding(in: record)?.name == "no real time")
    }

    @Test(arguments: [[20, 10], [10, 20], [10, 30, 20]]) func `A server may wait, for several users in any order`(
        _ times: [Int]
    ) throws {
        let report = try Simulation(seeds: 0..<5, faults: [], latency: .constant(.zero)) { world in
            let turns = Locked(times)
            world.serve(
                StubClient().on("**") { _ in
                    if let time = turns.withLock({ $0.popLast() }) { world.sleep(for: .milliseconds(time)) }
                    return .ok
                })
            let client = world.client()
            world.users(times.count...times.count) { _ in try client.send(Self.item) }
        }.check()
        #expect(report.calls == report.exchanges && report.exchanges > 5)
        try Simulation(seeds: 0..<5, faults: [], latency: .constant(.zero)) { world async throws in
            await world.users(times.count...times.count) { user in
                Self.block(world, .milliseconds(times[(user - 1) % times.count]))
                try await world.client().send(Self.item)
            }
        }.check()
    }

    /// Code that blocks may be anywhere in a task.
    private static func block(_ world: SimulatedWorld, _ time: Duration) { world.sleep(for: time) }

    @Test func `What a server held, and what the code throws, may use the world`() throws {
        final class Shop: Error, CustomStringConvertible {
            let world: SimulatedWorld
            init(_ world: SimulatedWorld) { self.world = world }
            deinit { world.serve(StubClient().on("**", answer: .ok)) }
            var description: String {
                world.serve(StubClient().on("**", answer: .ok))
                return "closed"
            }
            func stub() -> StubClient {
                StubClient().on(.get, "/items/1") { _ in withExtendedLifetime(self) { .status(.ok) } }
            }
        }
        try Simulation(seeds: 0..<1, faults: []) { world in
            world.serve(Shop(world).stub())
            world.serve(Shop(world).stub())
            try world.client().send(Self.item)
        }.check()
        let violation = try #require(throws: SimulationViolation.self) {
            try Simulation(seeds: 0..<1) { world in throw Shop(world) }.check()
        }
        #expect(violation.sentence.contains("closed"))
    }

    @Test func `Waits of simulated hours take no time, and awaited ones neither`() throws {
        let report = try Simulation(seeds: 0..<1, faults: [], latency: .constant(.seconds(7))) { world in
            world.sleep(for: .seconds(7200))
            try world.client().send(Self.item)
            #expect(world.elapsed == .seconds(7207))
        }.check()
        #expect(report.duration(ofShare: 1) == .seconds(7))
        try Simulation(seeds: 0..<1, faults: [], latency: .constant(.seconds(7))) { world async throws in
            await world.sleep(for: .seconds(7200))
            try await world.client().send(Self.item)
            #expect(world.elapsed == .seconds(7207))
        }.check()
    }

    @Test func `A failure by a timeout takes its time`() throws {
        for (limit, seconds) in [(TimeoutFailure.Limit.connect, 10), (.idle, 30), (.total, 60)] {
            let report = try Simulation(seeds: 0..<1, faults: [], latency: .constant(.zero)) { world in
                world.serve(StubClient().on("**", answer: .failure(.timedOut(limit))))
                let error = #expect(throws: HTTPError.self) { try world.client().send(Self.item) }
                guard case .timedOut(let failure) = error else { Issue.record("\(String(describing: error))"); return }
                #expect(failure.limit == limit)
                #expect((.seconds(seconds) ... .seconds(seconds) + .milliseconds(1)).contains(world.elapsed))
            }.check()
            #expect(report.exchanges == 1)
        }
    }

    @Test func `Without faults every exchange is answered in its time`() throws {
        let durations = [10, 20, 30].map { Duration.milliseconds($0) }
        let report = try Simulation(seeds: 0..<20, faults: [], latency: .recorded(durations, inOrder: true)) { world in
            let client = world.client()
            for _ in 0..<3 { try client.send(Self.item) }
        }.check()
        #expect(report.exchanges == 60 && report.mostAtOnce == 1 && report.attemptsPerCall == 1)
        #expect([0, 0.5, 1].map { report.duration(ofShare: $0) } == durations)
        #expect([.nan, -1, 2].map { report.duration(ofShare: $0) } == [durations[0], durations[0], durations[2]])
    }
}

import HTTPAsync
import HTTPCore
import HTTPPolicies
import HTTPTesting
import Testing

/// Worlds by seed.
@Suite struct SimulationTests {
    private static func requests(_ user: Int) -> [MutableRequest] {
        (0..<3).map { .get("https://shop.example/items/\(user)/\($0)") |> .timeout(.seconds(40)) }
    }

    private static func client(_ world: SimulatedWorld) -> any HTTPClient {
        world.client(.retry(), .rateLimit(5, per: .seconds(1)))
    }

    @Test func `Calls of the package's own policies violate nothing`() throws {
        let invariants = SimulationInvariant.standard + [.retries(atMost: 2), .rate(5, per: .seconds(1)), .atOnce(4)]
        let report = try Simulation(seeds: 0..<300, invariants: invariants) { world in
            let client = Self.client(world)
            world.users { user in for request in Self.requests(user) { _ = client.executeRequest(request) } }
        }.check()
        #expect(report.worlds == 300 && report.calls > 500 && report.exchanges > report.calls)
        #expect(report.duration(ofShare: 0.5) < report.duration(ofShare: 0.99))
    }

    @Test(arguments: PlantedFault.all)
    func `A planted fault is found, shrunk to ten events at most, and does the same again`(_ fault: PlantedFault) throws {
        let clock = ContinuousClock()
        var violation: SimulationViolation?
        let time = clock.measure { violation = fault.simulation.run().violation }
        let found = try #require(violation, "not found in \(time)")
        print("—— \(fault.name), \(time)\n\(found)")
        #expect(found.invariant == fault.invariant)
        #expect((1...10).contains(found.events.count))
        #expect(Set((0..<10).map { _ in fault.simulation.replay(seed: found.seed) }).count == 1)
        #expect(Set((0..<10).map { _ in fault.simulation.replay(found) }).count == 1)
    }

    @Test func `Blocking calls, awaited ones and batches have the same course`() {
        for seed in UInt64(205)..<206 {
            let seeds = seed..<seed + 1
            let blocking = Simulation(seeds: seeds) { world in
                let client = Self.client(world)
                world.users { user in for request in Self.requests(user) { _ = client.executeRequest(request) } }
            }.replay(seed: seed)
            let awaited = Simulation(seeds: seeds) { world async in
                let client = Self.client(world)
                await world.users { user in for request in Self.requests(user) { _ = try? await client.send(request) } }
            }.replay(seed: seed)
            let batch = Simulation(seeds: seeds) { world in
                let client = Self.client(world)
                world.users { user in for request in Self.requests(user) { _ = client.executeRequests([request]) } }
            }.replay(seed: seed)
            if blocking != awaited || blocking != batch {
                for (one, other) in zip(blocking, awaited) { print(seed, one.time, one, one == other ? "" : "≠ \(other.time) \(other)") }
                for (one, other) in zip(blocking, batch) where one != other { print(seed, "batch", one.time, one,  "≠ \(other.time) \(other)") }
            }
            #expect(blocking == awaited, "seed \(seed)")
            #expect(blocking == batch, "seed \(seed)")
            if blocking != awaited || blocking != batch { break }
        }
    }
}

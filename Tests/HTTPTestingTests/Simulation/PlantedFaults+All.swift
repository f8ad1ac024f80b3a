import Dispatch
import HTTPAsync
import HTTPCore
import HTTPPolicies
import HTTPTesting
import Synchronization

extension PlantedFault {
    static let all = writes + ends + retries + limits + tokens + users

    private static let lost: @Sendable (Request, Result<Response, HTTPError>) -> Bool = {
        if case .connection = FaultyRetry.error($1) { true } else { false }
    }

    /// Writes that are done twice. The first six are mutants of `RetryPolicy`.
    private static let writes: [PlantedFault] = [
        PlantedFault(
            "any method is repeated", writing { .retry(RetryPolicy(repeatsAnyMethod: true)) }, shows: .writesOnce),
        PlantedFault(
            "a lost connection counts as unprocessed", writing { Interceptor(FaultyRetry(when: lost)) },
            shows: .writesOnce),
        PlantedFault(
            "PATCH counts as idempotent",
            writing(.patch) {
                Interceptor(FaultyRetry { request, outcome in request.method == .patch && lost(request, outcome) })
            }, shows: .writesOnce),
        PlantedFault(
            "504 counts as unprocessed",
            writing { Interceptor(FaultyRetry { (try? $1.get().status) == .gatewayTimeout }) }, shows: .writesOnce),
        PlantedFault(
            "a broken answer is asked for again",
            writing {
                Interceptor(FaultyRetry { if case .truncatedBody = FaultyRetry.error($1) { true } else { false } })
            }, shows: .writesOnce),
        PlantedFault(
            "an idle timeout counts as unprocessed",
            Simulation(seeds: some) { world in
                let client = world.client(
                    Interceptor(FaultyRetry { if case .timedOut = FaultyRetry.error($1) { true } else { false } }))
                world.users { user in _ = client.executeRequest(write(user, 0) |> .idleTimeout(.seconds(2))) }
            }, shows: .writesOnce),
        PlantedFault(
            "each attempt has a key of its own",
            writing {
                .retry(RetryPolicy(repeatsAnyMethod: true))
                    |> Interceptor { request, next in
                        next.executeRequest(MutableRequest(request) |> .idempotencyKey())
                    }
            }, shows: .writesOnce),
    ]

    /// Attempts that come too late.
    private static let ends: [PlantedFault] = [
        PlantedFault(
            "a cancelled call is made again, detached",
            reading(2) {
                Interceptor { request, next in
                    let outcome = next.executeRequest(request)
                    if case .cancelled = FaultyRetry.error(outcome) { return next.detached.executeRequest(request) }
                    return outcome
                }
            }, shows: .noAttemptAfterTheEnd),
        PlantedFault(
            "each attempt has the time of the whole call",
            reading(2) {
                Interceptor { request, next in
                    let outcome = next.executeRequest(request)
                    if case .timedOut = FaultyRetry.error(outcome) { return next.detached.executeRequest(request) }
                    return outcome
                }
            }, shows: .noAttemptAfterTheEnd),
    ]

    /// Retries beyond their limits: mutants of `RetryPolicy` and `RetryBudget`.
    private static let retries: [PlantedFault] = [
        PlantedFault(
            "one retry too many",
            reading(2, checked: [.retries(atMost: 2)]) { .retry(limit: 3) }, shows: .retries(atMost: 2)),
        PlantedFault(
            "retries within retries",
            reading(2, checked: [.retries(atMost: 2)]) { .retry() |> .retry() }, shows: .retries(atMost: 2)),
        PlantedFault(
            "the budget is not used up",
            reading(8, checked: [.retries(atMost: 2, capacity: 5)]) { .retry(budget: RetryBudget(capacity: 1000)) },
            shows: .retries(atMost: 2, capacity: 5)),
        PlantedFault(
            "a success counts as ten",
            reading(12, checked: [.retries(atMost: 2, capacity: 3)]) {
                .retry(budget: RetryBudget(capacity: 3, refill: 1))
            },
            shows: .retries(atMost: 2, capacity: 3)),
        PlantedFault(
            "each call has a budget",
            reading(8, checked: [.retries(atMost: 2, capacity: 5)]) {
                Interceptor { request, next in
                    next.intercepted(by: .retry(budget: RetryBudget(capacity: 5))).executeRequest(request)
                }
            }, shows: .retries(atMost: 2, capacity: 5)),
        PlantedFault(
            "nothing is waited for between attempts",
            Simulation(
                seeds: some,
                invariants: [
                    .custom("a wait before each retry") { events in
                        let ends = events.filter { if case .answered = $0.kind { true } else { false } }
                        return events.first { event in
                            event.kind == .sent && event.attempt > 1
                                && ends.contains { $0.call == event.call && $0.time == event.time }
                        }.map { "call \($0.call) was sent again without a wait" }
                    }
                ]
            ) { world in
                let client = world.client(
                    Interceptor(FaultyRetry(delay: .zero) { (try? $1.get().status) == .serviceUnavailable }))
                _ = client.executeRequest(read(1))
            }, "a wait before each retry"),
    ]

    /// Limits that are exceeded: mutants of `TokenBucket`, `RateQueue` and `Schedule`.
    private static let limits: [PlantedFault] = [
        PlantedFault(
            "a burst of one more",
            reading(3, checked: [.rate(5, per: .seconds(1))]) { .rateLimit(5, per: .seconds(1), burst: 2) },
            shows: .rate(5, per: .seconds(1))),
        PlantedFault(
            "a pace of one more",
            reading(6, checked: [.rate(5, per: .seconds(1))]) { .rateLimit(6, per: .seconds(1)) },
            shows: .rate(5, per: .seconds(1))),
        PlantedFault(
            "retries do not count",
            reading(2, checked: [.rate(1, per: .seconds(5))]) { .rateLimit(1, per: .seconds(5)) |> .retry() },
            shows: .rate(1, per: .seconds(5))),
        PlantedFault(
            "a turn is not reserved",
            reading(3, checked: [.rate(5, per: .seconds(1))]) {
                Interceptor(UnreservedLimit(memory: UnreservedLimit.Memory(), pace: .milliseconds(200)))
            }, shows: .rate(5, per: .seconds(1))),
        PlantedFault(
            "a place is given back twice",
            reading(4, checked: [.atOnce(2, perHost: true)]) {
                Interceptor(FaultyPlaces(places: FaultyPlaces.Places(2), givesBackTwice: true))
            }, shows: .atOnce(2, perHost: true)),
        PlantedFault(
            "the place of a failed call is lost",
            Simulation(seeds: some) { world in
                let client = world.client(
                    Interceptor(FaultyPlaces(places: FaultyPlaces.Places(2), losesPlaceOfFailed: true)))
                world.users { _ in
                    for number in 0..<4 { _ = client.executeRequest(read(number) |> .timeout(nil)) }
                }
            }, "every call ends"),
        PlantedFault(
            "the place of a failed call is lost, and nobody blocks on the others",
            Simulation(seeds: some) { world in
                let client = world.client(
                    Interceptor(FaultyPlaces(places: FaultyPlaces.Places(2), losesPlaceOfFailed: true)))
                for number in 0..<4 {
                    client.executeRequest(read(number) |> .timeout(nil), callbackQueue: .immediate) { _ in }
                }
            }, "every call ends"),
    ]

    private static let shop = StubClient()
        .on(.post, "https://shop.example/token") { _ in .text("fresh").taking(.milliseconds(200)) }
        .on("**", .header("Authorization", "Bearer fresh"), answer: .ok)
        .on("**", answer: .status(.unauthorized))

    /// Refreshes of tokens: mutants of `TokenLedger`, and code of users.
    private static let tokens: [PlantedFault] = [
        PlantedFault(
            "each call refreshes",
            Simulation(seeds: some, invariants: [.atOnce(1, to: "/token")]) { world in
                world.serve(shop)
                let plain = world.transport
                let client = world.client(
                    Interceptor { request, next in
                        let outcome = next.executeRequest(request)
                        guard (try? outcome.get().status) == .unauthorized else { return outcome }
                        return plain.executeRequest(.post("https://shop.example/token")).flatMap {
                            next.executeRequest(
                                MutableRequest(request) |> .bearer(String(decoding: $0.body, as: UTF8.self)))
                        }
                    })
                world.users { _ = client.executeRequest(read($0)) }
            }, shows: .atOnce(1, to: "/token")),
        PlantedFault(
            "an actor checks, suspends and acts",
            Simulation(seeds: some, invariants: [.atOnce(1, to: "/token")]) { world async in
                world.serve(shop)
                let session = Session(client: world.transport)
                let client = world.client()
                await world.users { user in
                    let token = try await session.current()
                    _ = try await client.send(read(user) |> .bearer(token))
                }
            }, shows: .atOnce(1, to: "/token")),
        PlantedFault(
            "the failure of a shared exchange wakes nobody",
            Simulation(seeds: some) { world in
                let client = world.client(Interceptor(FaultyCollapse(FaultyCollapse.Flights())))
                world.users { _ in _ = client.executeRequest(read(1) |> .timeout(nil)) }
            }, "every call ends"),
    ]

    private actor Session {
        private let client: any HTTPClient
        private var token: String?

        init(client: any HTTPClient) { self.client = client }

        func current() async throws -> String {
            if let token { return token }
            let answer = try await client.send(.post("https://shop.example/token")).validated()
            let fresh = String(decoding: answer.body, as: UTF8.self)
            token = fresh
            return fresh
        }
    }

    private static func short(_ body: @escaping @Sendable (SimulatedWorld) throws -> Void) -> Simulation {
        var simulation = Simulation(seeds: some, body)
        simulation.stepLimit = 2000
        return simulation
    }

    /// Code around the client, written anew.
    private static let users: [PlantedFault] = [
        PlantedFault(
            "a user tries until it works",
            Simulation(seeds: some) { world in
                let client = world.client(.retry())
                world.users { user in
                    for _ in 0..<3 {
                        if (try? client.executeRequest(write(user, 1)).get().status.isSuccess) == true { return }
                    }
                }
            }, shows: .writesOnce),
        PlantedFault(
            "a task writes again after a timeout",
            Simulation(seeds: some) { world async in
                let client = world.client(.retry())
                await world.users { user in
                    do { try await client.send(write(user, 1) |> .timeout(.seconds(1))) } catch {
                        guard case HTTPError.timedOut = error else { throw error }
                        try await client.send(write(user, 1))
                    }
                }
            }, shows: .writesOnce),
        PlantedFault(
            "a user polls for ever",
            short { world in
                world.serve(StubClient().on("**", answer: .status(.accepted)))
                let client = world.client()
                while case .success(let response) = client.executeRequest(read(1)), response.status == .accepted {
                    world.sleep(for: .seconds(1))
                }
            }, "every call ends"),
        PlantedFault(
            "a task sleeps in real time",
            Simulation(seeds: some) { world async in
                let client = world.client()
                // A sleep that is over before its task waits for it brings nothing from outside that could be seen.
                try? await Task.sleep(for: .milliseconds(5))
                _ = try? await client.send(read(1))
            }, "no real time"),
        PlantedFault(
            "a thread of its own sleeps in the world",
            Simulation(seeds: some) { world in
                _ = world.client().executeRequest(read(1))
                let slept = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    world.sleep(for: .seconds(1))
                    slept.signal()
                }
                slept.wait()
            }, "no real time"),
    ]
}

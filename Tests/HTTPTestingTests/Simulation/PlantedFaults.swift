import HTTPAsync
import HTTPCore
import HTTPPolicies
import HTTPTesting
import Synchronization
import Testing

/// A fault in a policy or in the code of a user, and the invariant that shows it.
struct PlantedFault: Sendable, CustomTestStringConvertible {
    let name: String
    let invariant: String
    let simulation: Simulation

    var testDescription: String { name }

    static let url = "https://shop.example/payments"
    static let some: Range<UInt64> = 0..<5000

    init(_ name: String, _ simulation: Simulation, shows invariant: SimulationInvariant) {
        self.init(name, simulation, invariant.name)
    }

    init(_ name: String, _ simulation: Simulation, _ invariant: String) {
        (self.name, self.simulation, self.invariant) = (name, simulation, invariant)
    }

    /// A write, with a body of its own.
    static func write(_ user: Int, _ number: Int, method: HTTPMethod = .post) -> MutableRequest {
        MutableRequest(method, url) |> .json(["user": user, "number": number]) |> .timeout(.seconds(30))
    }

    static func read(_ number: Int) -> MutableRequest {
        .get("https://shop.example/items/\(number)") |> .timeout(.seconds(30))
    }

    /// Users who write through such an interceptor.
    static func writing(_ method: HTTPMethod = .post, _ interceptor: @escaping @Sendable () -> Interceptor)
        -> Simulation
    {
        Simulation(seeds: some) { world in
            let client = world.client(interceptor())
            world.users { user in for number in 0..<2 { _ = client.executeRequest(write(user, number, method: method)) }
            }
        }
    }

    /// Users who read through such an interceptor.
    static func reading(
        _ calls: Int, checked invariants: [SimulationInvariant] = [],
        _ interceptor: @escaping @Sendable () -> Interceptor
    ) -> Simulation {
        Simulation(seeds: some, invariants: SimulationInvariant.standard + invariants) { world in
            let client = world.client(interceptor())
            world.users { _ in for number in 0..<calls { _ = client.executeRequest(read(number)) } }
        }
    }
}

/// A retry that can be wrong in many ways.
struct FaultyRetry: CallPolicy {
    var limit = 2
    var delay = Duration.milliseconds(300)
    let isRetried: @Sendable (Request, Result<Response, HTTPError>) -> Bool
    private var retries = 0

    init(
        limit: Int = 2, delay: Duration = .milliseconds(300),
        when isRetried: @escaping @Sendable (Request, Result<Response, HTTPError>) -> Bool
    ) {
        (self.limit, self.delay) = (limit, delay)
        self.isRetried = isRetried
    }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started, .resumed: return .pass
        case .answered(let outcome):
            guard retries < limit, isRetried(moment.request, outcome) else { return .finish(outcome) }
            retries += 1
            return delay > .zero ? .wait(until: moment.now + delay, because: .betweenAttempts) : .pass
        case .interrupted(let error): return .finish(.failure(error))
        @unknown default: return .pass
        }
    }

    static func error(_ outcome: Result<Response, HTTPError>) -> HTTPError? {
        if case .failure(let error) = outcome { error } else { nil }
    }
}

/// Reads the time of the last request, and does not reserve the next one.
struct UnreservedLimit: CallPolicy {
    final class Memory: Sendable {
        let last = Mutex<ContinuousClock.Instant?>(nil)
    }

    let memory: Memory
    let pace: Duration

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started:
            guard let last = memory.last.withLock({ $0 }), last + pace > moment.now else { break }
            return .wait(until: last + pace, because: .rateLimit)
        case .resumed: break
        case .answered(let outcome): return .finish(outcome)
        case .interrupted(let error): return .finish(.failure(error))
        @unknown default: break
        }
        memory.last.withLock { $0 = moment.now }
        return .pass
    }
}

/// A limit of exchanges at once, whose places can get lost or be given back twice.
struct FaultyPlaces: CallPolicy {
    final class Places: Sendable {
        let free: Mutex<Int>
        let waiting = Mutex<[PolicySignal]>([])

        init(_ count: Int) { free = Mutex(count) }

        func take() -> Bool {
            free.withLock { free in
                guard free > 0 else { return false }
                free -= 1
                return true
            }
        }

        func giveBack(_ count: Int = 1) {
            free.withLock { $0 += count }
            let signals = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for signal in signals { signal.fire() }
        }
    }

    let places: Places
    var losesPlaceOfFailed = false
    var givesBackTwice = false

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started, .resumed:
            if places.take() { return .pass }
            let signal = PolicySignal()
            places.waiting.withLock { $0.append(signal) }
            return .wait(for: signal, because: .named("place"))
        case .answered(let outcome):
            let hasFailed = FaultyRetry.error(outcome) != nil
            if !(losesPlaceOfFailed && hasFailed) { places.giveBack(givesBackTwice && hasFailed ? 2 : 1) }
            return .finish(outcome)
        case .interrupted(let error): return .finish(.failure(error))
        @unknown default: return .pass
        }
    }
}

/// Equal requests share the outcome of the first, whose failure nobody hears of.
struct FaultyCollapse: CallPolicy {
    final class Flight: Sendable {
        let signal = PolicySignal()
        let response = Mutex<Response?>(nil)
    }

    final class Flights: Sendable {
        let current = Mutex<Flight?>(nil)
    }

    let flights: Flights
    private var own: Flight?
    private var followed: Flight?

    init(_ flights: Flights) { self.flights = flights }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started:
            let (flight, isFirst) = flights.current.withLock { current in
                let flight = current ?? Flight()
                defer { current = flight }
                return (flight, current == nil)
            }
            guard !isFirst else {
                own = flight
                return .pass
            }
            followed = flight
            return .wait(for: flight.signal, because: .collapsed)
        case .resumed:
            guard let response = followed?.response.withLock({ $0 }) else { return .pass }
            return .finish(.success(response))
        case .answered(let outcome):
            if let own, case .success(let response) = outcome {
                own.response.withLock { $0 = response }
                flights.current.withLock { $0 = nil }
                own.signal.fire()
            }
            return .finish(outcome)
        case .interrupted(let error): return .finish(.failure(error))
        @unknown default: return .pass
        }
    }
}

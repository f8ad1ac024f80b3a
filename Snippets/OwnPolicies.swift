// Two policies of an app's own: equal requests at the same time make one exchange, and a service that is down is left alone for
// a while. Run it with `swift run OwnPolicies`; its tests are in Tests/SnippetTests/OwnPolicies.
//
//     SingleFlight     a policy that waits for another call
//     CircuitBreaker   a policy that never waits
//
// A policy decides and never blocks, so calls inside it need no thread of their own, whether blocking, awaited or in a batch.
import HTTPMockServer
import Straightline
import Synchronization

// MARK: - A policy that waits for another call

extension Interceptor {
    /// GET requests that are equal in URL and fields share the response of the first of them, as long as that is on its way.
    /// Without one each asks for itself. Requests with a cookie jar never share: their cookies are added later, and the
    /// response may be one user's. For bodies in memory.
    static func singleFlight(_ flights: Flights = Flights()) -> Interceptor {
        Interceptor(SingleFlight(flights: flights))
    }
}

/// The requests on their way, which all calls share.
final class Flights: Sendable {
    struct Key: Hashable {
        let url: HTTPURL
        let headers: HTTPHeaders
    }

    /// One of them: its response, and the signal that it is there, or will never be.
    final class Flight: Sendable {
        let isOver = PolicySignal()
        private let outcome = Mutex<Response?>(nil)

        var response: Response? { outcome.withLock { $0 } }

        /// The response comes first: whoever is woken looks for it.
        func finish(with response: Response?) {
            outcome.withLock { $0 = response }
            isOver.fire()
        }
    }

    private let running = Mutex<[Key: Flight]>([:])
    private let followers = Mutex(0)

    /// How many calls have had another one's response, or waited for it.
    var followerCount: Int { followers.withLock { $0 } }

    /// The flight for `key`, and whether it begins with this call.
    func join(_ key: Key) -> (flight: Flight, isFirst: Bool) {
        let joined = running.withLock { running in
            if let flight = running[key] { return (flight: flight, isFirst: false) }
            let flight = Flight()
            running[key] = flight
            return (flight: flight, isFirst: true)
        }
        if !joined.isFirst { followers.withLock { $0 += 1 } }
        return joined
    }

    func end(_ key: Key, _ flight: Flight, with response: Response?) {
        running.withLock { $0[key] = nil }
        flight.finish(with: response)
    }
}

/// The state of one call.
private struct SingleFlight: CallPolicy {
    let flights: Flights
    private var followed: Flights.Flight?
    private var led: (key: Flights.Key, flight: Flights.Flight)?

    init(flights: Flights) { self.flights = flights }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        switch event {
        case .started:
            guard moment.request.method == .get, moment.request.cookies == nil else { return .pass }
            let key = Flights.Key(url: moment.request.url, headers: moment.request.headers)
            let (flight, isFirst) = flights.join(key)
            guard !isFirst else {
                led = (key, flight)
                return .pass
            }
            followed = flight
            return .wait(for: flight.isOver, because: .named("the same request of another call"))
        case .resumed:
            guard let response = followed?.response else { return .pass }
            return .finish(.success(response))
        case .answered(let outcome):
            // What stopped the first call, such as its timeout, is nobody else's.
            if let led { flights.end(led.key, led.flight, with: try? outcome.get()) }
            return .finish(outcome)
        // Only the others wait. They leave nothing behind.
        case .interrupted(let error): return .finish(.failure(error))
        @unknown default: return .pass
        }
    }
}

// MARK: - A policy that never waits

extension Interceptor {
    /// After `failures` failed calls in a row, calls fail at once for `pause`. Then one call is let through: if it works, all
    /// are.
    static func circuitBreaker(after failures: Int, for pause: Duration) -> Interceptor {
        Interceptor(CircuitBreaker(circuit: Circuit(most: failures, pause: pause)))
    }
}

/// Why a call was not sent.
struct CircuitOpen: OtherFailure {
    let failures: Int
    var record: CallRecord?

    var name: String { "circuit_open" }
    var wasSent: Bool { false }
    var sentence: String { "the last \(failures) calls failed: try again later" }
}

/// What all calls share. It decides by the clock of the calls, so in a test by simulated time.
private final class Circuit: Sendable {
    private struct State {
        var failures = 0
        /// When a call may find out whether the service is back; nil while it works.
        var retry: ContinuousClock.Instant?
    }

    let most: Int
    private let pause: Duration
    private let state = Mutex(State())

    init(most: Int, pause: Duration) { (self.most, self.pause) = (most, pause) }

    func admits(at now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            guard let retry = state.retry else { return true }
            guard now >= retry else { return false }
            state.retry = now + pause
            return true
        }
    }

    func note(_ hasFailed: Bool, at now: ContinuousClock.Instant) {
        state.withLock { state in
            state.failures = hasFailed ? state.failures + 1 : 0
            state.retry = state.failures >= most ? now + pause : nil
        }
    }
}

private struct CircuitBreaker: PassingPolicy {
    let circuit: Circuit

    func before(_ moment: PolicyMoment) -> PolicyStep {
        guard !circuit.admits(at: moment.now) else { return .pass }
        let record = CallRecord(moment.request, phase: .queued)
        return .finish(.failure(.other(CircuitOpen(failures: circuit.most, record: record))))
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        switch outcome {
        case .success(let response): circuit.note(response.status.rawValue >= 500, at: moment.now)
        // They say nothing about the service: the caller left, or had too many calls of its own.
        case .failure(.cancelled), .failure(.other(is Overload)): break
        case .failure(.timedOut(let failure)) where failure.blockedBy != nil: break
        case .failure: circuit.note(true, at: moment.now)
        }
        return outcome
    }
}

#if !SNIPPET_TESTS
@main
#endif
enum OwnPolicies {
    static func main() async throws {
        let server = try MockServer { request in
            request.path == "/down" ? .status(.serviceUnavailable) : .text("ok").taking(.milliseconds(100))
        }
        let flights = Flights()
        let client = CurlTransport().intercepted(
            by: .circuitBreaker(after: 3, for: .seconds(30)), .singleFlight(flights))
        try await withThrowingTaskGroup { group in
            for _ in 0..<20 { group.addTask { try await client.send(.get(server.url("/news"))) } }
            try await group.waitForAll()
        }
        print("20 calls at once, \(server.requestCount) request(s)")
        for _ in 0..<5 {
            do { print(try await client.send(.get(server.url("/down"))).status) } catch { print(error) }
        }
        print("and \(server.requests.count { $0.path == "/down" }) requests to the service that is down")
    }
}

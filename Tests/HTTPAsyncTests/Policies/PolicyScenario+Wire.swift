import HTTPObservability
import HTTPPolicies
import HTTPSupport
import HTTPAsync
import HTTPCore
import HTTPMockServer

/// One call through policies, planned from a seed: the policies, the server's answers, and the time of cancellation.
struct PolicyScenario: Sendable {
    enum Answer: Sendable {
        case status(HTTPStatus)
        /// The answer ends in the middle of its body.
        case cut
        /// There is no answer.
        case none
    }

    enum Cancellation: Sendable, Equatable {
        case never
        /// When the server has received that many requests.
        case duringExchange(Int)
        /// When a pausing policy is about to wait for that many times.
        case duringPause(Int)
    }

    let index: Int
    /// Scenarios with the same stack share one client.
    let stack: Int
    let answers: [Answer]
    let latency: Duration
    let cancellation: Cancellation
    /// Whether the call times out while it waits for its answer.
    let isLate: Bool

    init(_ index: Int, stacks: Int) {
        var dice = ScheduleModelTests.Dice(state: UInt64(index) &* 0x9E37_79B9_7F4A_7C15)
        self.index = index
        stack = index % stacks
        isLate = Int.random(in: 0..<20, using: &dice) == 0
        latency = .microseconds(Int.random(in: 0..<2000, using: &dice))
        let common: [Answer] = [
            .status(200), .status(200), .status(503), .status(429), .status(401), .status(404), .cut,
        ]
        answers = isLate ? [.none] : (0..<4).map { _ in common.randomElement(using: &dice) ?? .cut }
        let number = Int.random(in: 1...2, using: &dice)
        cancellation =
            switch Int.random(in: 0..<10, using: &dice) {
            case 0, 1: isLate ? .never : .duringExchange(number)
            case 2: isLate ? .never : .duringPause(number)
            default: .never
            }
    }

    func request(to server: MockServer, _ driver: String) throws -> Request {
        try Request(.get(server.url("/\(driver)/\(index)")) |> .timeout(isLate ? .milliseconds(200) : .seconds(60)))
    }
}

/// The trace of one scenario with one driver.
final class PolicyTrace: Sendable {
    let scenario: PolicyScenario
    let token = CancellationToken()
    private let state = Locked(State())

    private struct State {
        var lines: [String] = []
        var requests = 0
        var pauses = 0
    }

    init(_ scenario: PolicyScenario) { self.scenario = scenario }

    var lines: [String] { state.withLock { $0.lines } }

    func note(_ line: String) { state.withLock { $0.lines.append(line) } }

    func note(_ who: String, _ outcome: Result<Response, HTTPError>) {
        switch outcome {
        case .success(let response): note("\(who) \(response.status), \(response.metrics.attemptCount) attempts")
        case .failure(let error): note("\(who) \(Mirror(reflecting: error).children.first?.label ?? "")")
        }
    }

    /// The server's next answer.
    func answer() -> MockResponse {
        let number = state.withLock { state in
            state.requests += 1
            return state.requests
        }
        if case .duringExchange(number) = scenario.cancellation {
            token.cancel()
            return MockResponse.text("late").taking(.seconds(60))
        }
        let last = scenario.answers[min(number, scenario.answers.count) - 1]
        return switch last {
        case .none: MockResponse.text("late").taking(.seconds(60))
        case .cut: MockResponse.text("half of it").taking(scenario.latency).failing(.close(.midBody(after: 3)))
        case .status(let status): MockResponse(status: status).taking(scenario.latency)
        }
    }

    /// A pausing policy is about to wait.
    func pause() {
        let number = state.withLock { state in
            state.pauses += 1
            return state.pauses
        }
        if case .duringPause(number) = scenario.cancellation { token.cancel() }
    }
}

/// All calls of one driver.
struct PolicyTraces: Sendable {
    let driver: String
    let all: [PolicyTrace]

    init(_ driver: String, _ scenarios: [PolicyScenario]) {
        self.driver = driver
        all = scenarios.map(PolicyTrace.init)
    }

    /// Finds the trace of a request by its path: `/driver/index`.
    func trace(of path: some StringProtocol) -> PolicyTrace? {
        let parts = path.split(separator: "/")
        guard parts.count == 2, parts[0] == driver, let index = Int(parts[1]) else { return nil }
        return all[index]
    }

    /// The policies of one stack, with a witness outside and one inside of each.
    func policies(_ stack: Int) -> [Interceptor] {
        var dice = ScheduleModelTests.Dice(state: UInt64(stack) &* 0xD134_2543_DE82_EF95)
        let retry = RetryPolicy(limit: stack % 3 + 1, backoff: Backoff(base: .milliseconds(2)) { 0.5 })
        let tokens = BearerTokens("old", window: .init(limit: 100_000)) { _ in "new" }
        let choice: [Interceptor] = [
            .retry(retry, budget: RetryBudget(capacity: 100_000)), .validate(), .bearer(tokens),
            .rateLimit(100_000, per: .seconds(1), burst: 10_000), .log { _ in }, Interceptor(Pausing(traces: self)),
            .applying(.header("X-Step", "yes")),
        ].shuffled(using: &dice)
        let chosen = choice.prefix(Int.random(in: 2...choice.count, using: &dice))
        return chosen.enumerated().flatMap { [Interceptor(Witness(traces: self, place: $0)), $1] }
            + [Interceptor(Witness(traces: self, place: chosen.count))]
    }
}

/// Records all events of a policy at its place.
private struct Witness: CallPolicy {
    let traces: PolicyTraces
    let place: Int

    func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        let trace = traces.trace(of: moment.request.url.path)
        switch event {
        case .started:
            trace?.note("\(place) started")
            return .pass
        case .answered(let outcome):
            trace?.note("\(place)", outcome)
            return .finish(outcome)
        case .resumed: return .pass
        case .interrupted(let error): return .finish(.failure(error))
        }
    }
}

/// Waits for a millisecond before each request.
private struct Pausing: CallPolicy {
    let traces: PolicyTraces
    private var end: ContinuousClock.Instant?

    init(traces: PolicyTraces) { self.traces = traces }

    mutating func next(_ event: PolicyEvent, in moment: PolicyMoment) -> PolicyStep {
        let trace = traces.trace(of: moment.request.url.path)
        switch event {
        case .started:
            // It must not time out before it is sent.
            if trace?.scenario.isLate == true { return .pass }
            trace?.pause()
            let end = moment.now + .milliseconds(1)
            self.end = end
            return .wait(until: end, because: .queued)
        case .resumed:
            guard let end, end > moment.now else {
                trace?.note("pause over")
                return .pass
            }
            return .wait(until: end, because: .queued)
        case .answered(let outcome): return .finish(outcome)
        case .interrupted(let error):
            trace?.note("pause interrupted")
            return .finish(.failure(error))
        }
    }
}

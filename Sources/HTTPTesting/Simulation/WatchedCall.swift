import HTTPSupport

/// The call of a watched client that a request belongs to.
enum WatchedCallKey: NotingKey {
    struct Call: Sendable {
        let number: Int
        let user: Int
    }

    static let defaultValue: Call? = nil
}

/// Records the calls of a client, as their user sees them.
struct WatchedCall: PassingPolicy, PreparedPolicy {
    let world: SimulatedWorld
    private var user = 0
    private var number = 0

    init(world: SimulatedWorld) { self.world = world }

    mutating func prepare() { user = SimulatedWorld.user }

    mutating func before(_ moment: PolicyMoment) -> PolicyStep {
        // It does not begin: an awaited call would not come here.
        guard !moment.isCancelled else { return .pass }
        number = world.noteCall()
        let (number, user, world) = (number, user, world)
        world.record(.callStarted(within: moment.timeLeft)) { event in
            (event.user, event.call, event.request) = (user, number, moment.request)
        }
        let observer = CallObserver(outer: moment.request.observer) { event in
            guard case .waitStarted(let cause, _) = event else { return }
            world.record(.waiting(cause)) { ($0.user, $0.call) = (user, number) }
        }
        let call = WatchedCallKey.Call(number: number, user: user)
        return .send(moment.request.observed(by: observer).setting(WatchedCallKey.self, to: call))
    }

    func after(_ outcome: Result<Response, HTTPError>, in moment: PolicyMoment) -> Result<Response, HTTPError> {
        guard number > 0 else { return outcome }
        let text =
            switch outcome {
            case .success(let response): "\(response.status)"
            case .failure(let error): error.inFewWords
            }
        world.record(.callEnded(text)) { ($0.user, $0.call) = (user, number) }
        return outcome
    }
}

extension SimulatedWorld {
    /// The number of a call that begins.
    func noteCall() -> Int {
        state.withLock { state in
            state.calls += 1
            return state.calls
        }
    }

    /// The numbers of an exchange that begins, in the world and in its call.
    func noteExchange(_ call: Int) -> (world: Int, attempt: Int) {
        state.withLock { state in
            state.exchanges += 1
            guard call > 0 else { return (state.exchanges, 0) }
            state.attempts[call, default: 0] += 1
            return (state.exchanges, state.attempts[call, default: 0])
        }
    }

    /// What the server answers, whether it knew the request by its key, and how long it takes beside the network.
    func answer(_ received: StubbedRequest) -> (Result<StubResponse, HTTPError>, isRecognized: Bool, [StubLatency]) {
        let key = received.headers["Idempotency-Key"].map { "\(received.method) \(received.url) \($0)" }
        if let key, let known = state.withLock({ $0.answers[key] }) { return (.success(known), true, []) }
        let (script, recorder) = state.withLock { ($0.script, $0.recorder) }
        guard let match = script.match(received, recorder) else {
            recorder.note(received)
            let answer = unroutedAnswer(received, script, recorder)
            if let key, case .success(let response) = answer { remember(response, for: key) }
            return (answer, false, [])
        }
        recorder.note(match.request)
        let (answer, step) = match.answer
        switch answer {
        case .response(let response):
            if let key { remember(response, for: key) }
            let silence = step.isPending ? [StubLatency(phase: .waiting, duration: .seconds(1 << 20))] : []
            return (.success(response), false, step.latencies + silence)
        case .failure(let failure):
            let record = CallRecord(received.request, phase: failure.phase)
            let time = failure.limit.map { received.request.timeouts.duration(of: $0) } ?? .zero
            // Until the total timeout expires, bytes come.
            let phase = failure.limit == .total ? .receiving : failure.phase
            let latencies = step.latencies + [StubLatency(phase: phase, duration: time)]
            return (.failure(failure.make(received.request, record)), false, latencies)
        case .unusable(let reason): return (.failure(unusable(received, reason)), false, [])
        }
    }

    private func unroutedAnswer(
        _ received: StubbedRequest, _ script: StubScript, _ recorder: StubRecorder
    ) -> Result<StubResponse, HTTPError> {
        if case .pass(let client) = script.fallback {
            return client.executeRequest(received.request).map { StubResponse($0) }
        }
        let unmatched = script.unmatched(received, recorder)
        note(problem: "\(unmatched)")
        guard case .notFound = script.fallback else { return .failure(.other(unmatched)) }
        return .success(StubResponse(status: .notFound))
    }

    /// A server remembers what it did.
    private func remember(_ response: StubResponse, for key: String) {
        if response.isDone { state.withLock { $0.answers[key] = response } }
    }

    private func unusable(_ received: StubbedRequest, _ reason: String) -> HTTPError {
        note(problem: "the answer to \(received.request) cannot be used: \(reason)")
        return .unsupported(Unsupported("the server's answer to \(received.request)", reason))
    }

    /// A fault of the test itself, which must not look like the server's.
    private func note(problem: String) { state.withLock { $0.problem = $0.problem ?? problem } }
}

import HTTPEngine
import HTTPSupport

/// A call to the server of a world: its exchanges, one event after the other. It never waits.
final class SimulatedCall: Sendable {
    private struct State {
        var call: StubCall
        /// The number of the exchange in the world and in the call, and what happens to it.
        var exchange = 0
        var attempt = 0
        var fate = ExchangeFate(there: .zero, back: .zero)
        var start: TimePoint
        var end: TimePoint?
        var stop: LatencyCourse.Stop?
        /// What the server answers.
        var answer: Result<StubResponse, HTTPError>?
        var isOver = false
    }

    private let world: SimulatedWorld
    private let state: Locked<State>
    private let owner: (any SubmittedCall)?
    private let deliver: @Sendable (Result<Response, HTTPError>) -> Void
    /// The call of a watched client, and who made it.
    private let number: Int
    private let user: Int

    /// - Parameters:
    ///   - deadline: That of the call around it, beside the current one.
    ///   - owner: Who may be cancelled; nil if `cancel` is called.
    ///   - deliver: Gets the outcome once, on any thread of the world.
    init(
        _ request: Request, within deadline: CallDeadline? = nil, for owner: (any SubmittedCall)? = nil,
        in world: SimulatedWorld, _ deliver: @escaping @Sendable (Result<Response, HTTPError>) -> Void
    ) {
        self.world = world
        self.owner = owner
        self.deliver = deliver
        // A call that a cache makes in the background has the values of the one that began it, but no observer.
        let watched = request.observer == nil ? nil : request[WatchedCallKey.self]
        (number, user) = (watched?.number ?? 0, watched?.user ?? 0)
        let now = world.scheduler.now
        world.time.reach(now)
        let (script, recorder) = world.state.withLock { ($0.script, $0.recorder) }
        let call = StubCall(request, script: script, recorder: recorder, time: world.time, within: deadline)
        state = Locked(State(call: call, start: now))
    }

    var isCancelled: Bool { owner?.isCancelled ?? false }

    func begin() {
        if owner != nil { world.state.withLock { $0.active.append(self) } }
        exchange()
    }

    /// Ends it with `.cancelled`. What the server has, it does all the same.
    func cancel() {
        let call = state.withLock { $0.isOver ? nil : $0.call }
        guard var call else { return }
        call.now = world.scheduler.now
        let error = HTTPError.cancelled(call.record(.waiting))
        call.plan.fail(with: error)
        finish(.failure(error), "the call is cancelled")
    }

    // MARK: One exchange

    private func exchange() {
        var call = state.withLock { $0.call }
        let now = world.scheduler.now
        call.now = now
        world.time.reach(now)
        do throws(HTTPError) {
            if world.isClosed { throw .cancelled(call.record(.starting)) }
            let received = try call.open()
            let exchange = world.noteExchange(number)
            let fate = world.plan.fate(ofExchange: exchange.world)
            let course = course(call, fate, [])
            call.timings = course.timings
            state.withLock { [call] state in
                (state.call, state.fate, state.start) = (call, fate, now)
                (state.exchange, state.attempt) = (exchange.world, exchange.attempt)
                (state.end, state.stop, state.answer) = (now + course.elapsed, course.stop, nil)
            }
            record(.sent, received)
            let key = world.scheduler.key(.arrival, exchange.world)
            world.scheduler.add(at: now + fate.there, key: key, if: { true }) { [self] in
                arrive(received, exchange.world, exchange.attempt, fate)
            }
            setEnd()
        } catch {
            call.plan.fail(with: error)
            finish(.failure(error), nil)
        }
    }

    /// The course of the exchange, with the timeouts of the request.
    private func course(_ call: StubCall, _ fate: ExchangeFate, _ more: [StubLatency]) -> LatencyCourse {
        var latencies = [
            StubLatency(phase: .waiting, duration: fate.there + fate.back),
            StubLatency(phase: .receiving, duration: fate.body),
        ]
        if fate.fault == .refused { latencies = [StubLatency(phase: .connecting, duration: fate.there + fate.back)] }
        return LatencyCourse(
            latencies + more, timeouts: call.plan.request.timeouts, mayBeQuiet: true,
            timeLeft: call.deadline.map { call.now.duration(to: $0.point) })
    }

    private func setEnd() {
        let (exchange, end) = state.withLock { ($0.exchange, $0.end) }
        guard let end else { return }
        let isPending: @Sendable () -> Bool = { [state] in
            state.withLock { !$0.isOver && $0.exchange == exchange && $0.end == end }
        }
        world.scheduler.add(at: end, key: world.scheduler.key(.end, exchange), if: isPending) { [self] in over() }
    }

    /// The server has the request, unless the network has lost it.
    private func arrive(_ received: StubbedRequest, _ exchange: Int, _ attempt: Int, _ fate: ExchangeFate) {
        guard fate.fault?.isProcessed ?? true else { return }
        let (answer, isRecognized, latencies) = world.answer(received)
        if isRecognized || (try? answer.get())?.isDone == true {
            record(isRecognized ? .recognized : .processed, received, (exchange, attempt))
        }
        let isWaiting = state.withLock { state in
            guard state.exchange == exchange, !state.isOver else { return false }
            state.answer = answer
            guard !latencies.isEmpty else { return false }
            var call = state.call
            call.now = state.start
            let course = course(call, fate, latencies)
            (state.end, state.stop) = (state.start + course.elapsed, course.stop)
            return true
        }
        if isWaiting { setEnd() }
    }

    /// The client has all that it gets.
    private func over() {
        var call = state.withLock { $0.call }
        let (fate, stop, answer) = state.withLock { ($0.fate, $0.stop, $0.answer) }
        call.now = world.scheduler.now
        world.time.reach(call.now)
        do throws(HTTPError) {
            if let stop { throw call.timedOut(stop.limit, stop.phase) }
            let response = try received(fate, answer, call)
            let delivered = try call.deliver(response)
            record(.answered(response.status))
            guard let delivered else {
                state.withLock { [call] in $0.call = call }
                return exchange()
            }
            finish(.success(delivered), nil)
        } catch {
            call.plan.fail(with: error)
            finish(.failure(error), error.inFewWords)
        }
    }

    /// The answer as the network lets it through.
    private func received(
        _ fate: ExchangeFate, _ answer: Result<StubResponse, HTTPError>?, _ call: StubCall
    ) throws(HTTPError) -> StubResponse {
        func error(_ failure: StubFailure) -> HTTPError { failure.make(call.plan.request, call.record(failure.phase)) }
        func status(_ status: HTTPStatus) -> StubResponse {
            StubResponse(
                status: status, headers: fate.retryAfter.map { ["Retry-After": "\($0)"] } ?? [:], pieces: [])
        }
        switch fate.fault {
        case .refused: throw error(.connection(.refused))
        case .resetBeforeProcessing, .resetAfterProcessing: throw error(.connection(.closedBeforeResponse))
        case .tooManyRequests: return status(.tooManyRequests)
        case .unavailable: return status(.serviceUnavailable)
        case .gatewayTimeout: return status(.gatewayTimeout)
        case .truncated:
            let length = try answer?.get().pieces.reduce(0) { $0 + $1.count } ?? 0
            guard var response = try answer?.get(), length > 0 else { throw error(.truncatedBody()) }
            response.cut = length / 2
            return response
        case .slowDrip, .silence, .cancellation, nil:
            guard let answer else { throw error(.connection(.closedBeforeResponse)) }
            return try answer.get()
        }
    }

    private func finish(_ result: Result<Response, HTTPError>, _ failure: String?) {
        let isFirst = state.withLock { state in
            defer { state.isOver = true }
            return !state.isOver
        }
        guard isFirst else { return }
        if owner != nil { world.state.withLock { state in state.active.removeAll { $0 === self } } }
        if let failure { record(.failed(failure)) }
        guard owner != nil else { return deliver(result) }
        // As on the thread of the agent, which keeps the time for what comes next.
        ThreadRole.run(as: world.executor.agent) { deliver(result) }
    }

    private func record(
        _ kind: SimulationEvent.Kind, _ received: StubbedRequest? = nil, _ place: (exchange: Int, attempt: Int)? = nil
    ) {
        let current = state.withLock { ($0.exchange, $0.attempt) }
        world.record(kind) { event in
            (event.user, event.call) = (user, number)
            (event.exchange, event.attempt) = place ?? current
            event.request = received?.request
            event.body = received.map { Array($0.body) } ?? []
        }
    }
}

extension HTTPError {
    var inFewWords: String {
        guard let record else { return "it failed" }
        return switch CallAttempt(record, failedBy: self).outcome {
        case .answered(let status): "answered with \(status)"
        case .failed(let phase, let reason): "\(reason) (\(phase))"
        }
    }
}

import HTTPSupport

/// One call with its policies: a value that takes events and returns the next action.
///
/// It is a loop, not a recursion, so that another attempt needs no stack. It never waits, so the same run serves every
/// driver: blocking, event loop and simulated time.
///
/// It provides for all policies: the time left, the attempts and duration of repeated requests and waits, the errors of
/// cancelled and late calls, and the end of a policy that would wait forever.
package struct PolicyRun: Sendable {
    /// The action for the driver.
    package enum Effect: Sendable {
        /// Pass the request to the client, with a deadline if its own timeout is not enough.
        case send(Request, deadline: CallDeadline?)
        /// Wait, then `resume`; `interrupt` if the call is cancelled.
        case wait(PolicyWait)
        /// Do the work, then `resume`; `expire` if the deadline of the call comes first.
        case run(PolicyWork, deadline: TimePoint?)
        /// Start a background call through these policies, then `resume`.
        case sendInBackground(Request, [any CallPolicy])
        case finish(Result<Response, HTTPError>)
    }

    private let policies: [any CallPolicy]
    private let call: any PolicyCall
    private let clock: CallClock
    /// The policies that the request has reached, outermost first.
    fileprivate var layers: [Layer] = []
    /// Whether nothing has taken time yet.
    private var isFresh = true
    /// How long the policies have waited and worked in all.
    private var waited = TimeSpan.zero
    /// The current wait or work of the last policy.
    private var pause: Pause?
    /// What the last one was for, until there is an answer.
    private var lastCause: CallActivity?
    /// The number of requests that the client has sent.
    private var exchanges = 0

    private struct Pause: Sendable {
        let start: TimePoint
        let cause: CallActivity
        let reason: String?
        let isWork: Bool
    }

    fileprivate struct Layer: Sendable {
        var policy: any CallPolicy
        let received: PolicyRequest
        let start: TimePoint
        /// How long the outer policies had waited before.
        let waitedBefore: TimeSpan
        var attempts = 0
        private var hasSent = false
        /// Its requests and waits so far.
        var history = PolicyHistory()
        /// Whether its history has more than its one answer: it has sent twice, or waited or worked.
        var isRemembered = false
        var interruptions = 0
        /// What it has done since the last exchange that brought the call no nearer to its end.
        private var idleSteps = 0
        private var exchanges = 0

        init(_ policy: any CallPolicy, _ received: PolicyRequest, start: TimePoint, waitedBefore: TimeSpan) {
            self.policy = policy
            self.received = received
            self.start = start
            self.waitedBefore = waitedBefore
        }

        /// Returns whether it is not the first time.
        mutating func recordSend(at now: TimePoint) -> Bool {
            defer { hasSent = true }
            if hasSent { isRemembered = true }
            history.recordSend(at: start.span(to: now))
            return hasSent
        }

        /// Counts a step that took no time; false if there were too many without an exchange.
        mutating func countIdle(_ cost: Int, after exchanges: Int) -> Bool {
            if self.exchanges != exchanges { (self.exchanges, idleSteps) = (exchanges, 0) }
            idleSteps += cost
            return idleSteps <= 100_000
        }
    }

    package init(_ policies: [any CallPolicy], _ call: any PolicyCall) {
        self.policies = policies
        self.call = call
        clock = call.clock
    }

    package mutating func start(_ request: Request) -> Effect {
        layers.reserveCapacity(policies.count)
        let now = clock.now()
        let deadline = clock.deadline(of: request.timeouts, from: now)
        return proceed(enter(PolicyRequest(request, deadline, call), at: now), at: now)
    }

    /// The client has answered.
    package mutating func answer(_ outcome: consuming Result<Response, HTTPError>) -> Effect {
        isFresh = false
        let now = clock.now()
        if outcome.attempts > 0 { exchanges &+= 1 }
        return proceed(take(outcome, at: now), at: now)
    }

    /// The time has come, or the policy was woken, or its work is done.
    package mutating func resume() -> Effect {
        isFresh = false
        let now = clock.now()
        if pause?.isWork == false, let deadline = layers[last].received.deadline, deadline.point <= now {
            return expire()
        }
        endPause(at: now)
        return proceed(tell(.resumed, at: now), at: now)
    }

    /// The call ends during a wait or work: it was cancelled, or has another `error`.
    package mutating func interrupt(
        with error: (PolicyMoment, CallActivity) -> HTTPError = { $0.cancelled($1) }
    ) -> Effect {
        let now = clock.now()
        let cause = endPause(at: now)?.cause ?? .queued
        let error = error(moment(last, at: now), cause)
        layers[last].interruptions += 1
        guard layers[last].interruptions < 3 else { return proceed(.finish(.failure(error)), at: now) }
        return proceed(tell(.interrupted(error), at: now), at: now)
    }

    /// The deadline of the call has come during a wait or work.
    package mutating func expire() -> Effect {
        let cause = named(pause?.cause ?? .queued)
        return interrupt { moment, _ in moment.timedOut(cause) }
    }

    /// Nothing will ever end the current wait.
    package mutating func abandon() -> Effect {
        let name = policyName
        return interrupt { $0.failed(.waitsForNobody, of: name, $1) }
    }
}

extension PolicyRun {
    /// Follows the steps until the driver has something to do.
    private mutating func proceed(_ step: consuming PolicyStep.Kind, at now: TimePoint) -> Effect {
        while true {
            switch consume step {
            case .pass:
                if let ending = send(at: now) {
                    step = ending
                    continue
                }
                let received = layers[last].received
                guard layers.count < policies.count else { return leave(received.request, received.deadline, at: now) }
                step = enter(received, at: now)
            case .send(let request):
                if let ending = send(at: now) {
                    step = ending
                    continue
                }
                let deadline = deadline(of: request, within: last, at: now)
                guard layers.count < policies.count else { return leave(request, deadline, at: now) }
                step = enter(PolicyRequest(request, deadline, call), at: now)
            case .finish(let outcome):
                let outcome = layers[last].finished(outcome, at: now).delivered(to: layers[last].received.request)
                guard last > 0 else { return .finish(outcome.answering(layers.removeLast().received.request)) }
                layers.removeLast()
                step = take(outcome, at: now)
            case .wait(let end, let signal, let cause, let reason):
                let end = end.map(TimePoint.init)
                let isShort = clock.isSimulated || end.map { $0 <= now } ?? false || signal?.isFired ?? false
                if isShort, let ending = endless(10, at: now) {
                    step = ending
                    continue
                }
                begin(Pause(start: now, cause: cause, reason: reason, isWork: false))
                return .wait(
                    PolicyWait(
                        cause: cause, signal: signal, end: end, deadline: layers[last].received.deadline?.point))
            case .run(let cause, let reason, let work):
                if let ending = endless(10, at: now) {
                    step = ending
                    continue
                }
                begin(Pause(start: now, cause: cause, reason: reason, isWork: true))
                return .run(work, deadline: layers[last].received.deadline?.point)
            case .sendInBackground(let request, let policy):
                return .sendInBackground(request, [policy] + policies[(last + 1)...])
            }
        }
    }

    private mutating func begin(_ pause: Pause) {
        layers[last].isRemembered = true
        layers[last].received.request.observer.map { $0.tell(.waitStarted(pause.cause, id: $0.id)) }
        self.pause = pause
    }

    @discardableResult
    private mutating func endPause(at now: TimePoint) -> Pause? {
        guard let pause = pause.take() else { return nil }
        lastCause = pause.cause
        let span = pause.start.span(to: now)
        waited += span
        let duration = span.duration
        let wait = CallWait(
            pause.cause, start: layers[last].start.duration(to: pause.start), duration: duration,
            reason: duration > .zero ? pause.reason : nil)
        if duration > .zero { layers[last].history.recordWait(wait) }
        layers[last].received.request.observer.map { $0.tell(.waitFinished(wait, id: $0.id)) }
        return pause
    }

    /// The end of a policy that goes on and on without an exchange; nil for another. A wait or work costs as much as
    /// ten steps.
    private mutating func endless(_ cost: Int, at now: TimePoint) -> PolicyStep.Kind? {
        guard !layers[last].countIdle(cost, after: exchanges) else { return nil }
        return .finish(.failure(moment(last, at: now).failed(.goesOnForEver, of: policyName, .queued)))
    }

    /// The end of a policy that sends again and goes on for too long, or whose call has ended meanwhile, perhaps during its
    /// work: its answer is that, and nothing goes out. Nil for another.
    private mutating func send(at now: TimePoint) -> PolicyStep.Kind? {
        let isRepeated = layers[last].recordSend(at: now)
        guard isRepeated || lastCause != nil else { return nil }
        if isRepeated, let ending = endless(1, at: now) { return ending }
        let moment = moment(last, at: now)
        let cause = lastCause ?? .betweenAttempts
        var error = moment.cancelled(cause)
        if !call.isCancelled {
            guard let deadline = moment.deadline, deadline.point <= now else { return nil }
            error = moment.timedOut(named(cause))
        }
        layers[last].interruptions += 1
        guard layers[last].interruptions < 3 else { return .finish(.failure(error)) }
        // What it waited is in its history.
        return take(.failure(error.changingMetrics { ($0.attemptCount, $0.waited) = (0, .zero) }), at: now)
    }

    /// Work that says nothing else of itself is known by its policy.
    private func named(_ cause: CallActivity) -> CallActivity {
        cause == .work ? .named("the work of \(policyName)") : cause
    }

    private var last: Int { layers.count - 1 }

    /// Of the last one.
    private var policyName: String { "\(type(of: layers[last].policy))" }

    private mutating func enter(_ received: consuming PolicyRequest, at now: TimePoint) -> PolicyStep.Kind {
        layers.append(Layer(policies[layers.count], received, start: now, waitedBefore: waited))
        return tell(.started, at: now)
    }

    /// To the client. If nothing has taken time, the request's own timeout is enough.
    private mutating func leave(_ request: Request, _ deadline: CallDeadline?, at now: TimePoint) -> Effect {
        let isOwn = isFresh && deadline?.point == request.timeouts.total.map { now + $0 }
        return .send(request, deadline: isOwn ? nil : deadline)
    }

    private mutating func take(_ outcome: consuming Result<Response, HTTPError>, at now: TimePoint) -> PolicyStep.Kind {
        lastCause = nil
        layers[last].attempts += outcome.attempts
        layers[last].history.recordAnswer(outcome, at: layers[last].start.span(to: now))
        return tell(.answered(outcome), at: now)
    }

    private mutating func tell(_ event: PolicyEvent, at now: TimePoint) -> PolicyStep.Kind {
        let moment = moment(last, at: now)
        return layers[last].policy.next(event, in: moment).kind
    }

    private func moment(_ index: Int, at now: TimePoint) -> PolicyMoment {
        PolicyMoment(
            received: layers[index].received, startTime: layers[index].start, time: now,
            waitedSpan: waited - layers[index].waitedBefore, attempts: layers[index].attempts)
    }

    /// The layer's deadline, unless the policy gave the request less time.
    private func deadline(of request: Request, within index: Int, at now: TimePoint) -> CallDeadline? {
        let received = layers[index].received
        guard request.timeouts.total != received.request.timeouts.total else { return received.deadline }
        return .earlier(request.timeouts.ownDeadline(from: now, isSimulated: clock.isSimulated), received.deadline)
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The outcome of the call that `request` made. What a redirect on its way is held to does not bind the caller, who
    /// may send the response's request again.
    fileprivate consuming func answering(_ request: Request) -> Self {
        guard let answered = received?.request, answered.hop != nil, request.hop == nil else { return self }
        let whole = answered.withoutHop
        return map { $0.answering(whole) }.mapError { $0.changingResponse { $0 = $0.answering(whole) } }
    }
}

extension PolicyRun.Layer {
    /// The outcome with the figures of all its requests and waits.
    fileprivate mutating func finished(
        _ outcome: consuming Result<Response, HTTPError>, at now: TimePoint
    ) -> Result<Response, HTTPError> {
        guard isRemembered else { return outcome }
        let whole = outcome.changingMetrics { metrics in
            metrics.attemptCount = attempts
            metrics.total = start.duration(to: now)
            history.complete(&metrics)
        }
        return history.mayHaveBeenProcessed ? whole.mapError(\.afterProcessing) : whole
    }
}

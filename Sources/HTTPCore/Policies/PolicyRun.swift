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
        /// Do the work, then `resume`.
        case run(@Sendable () -> Void)
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
    /// When the current wait began.
    private var waitStart: TimePoint?

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
        /// Its current wait.
        var waitPhase: CallActivity?
        /// Whether its history has more than its one answer: it has sent twice, or waited or worked.
        var isRemembered = false
        var interruptions = 0

        init(_ policy: any CallPolicy, _ received: PolicyRequest, start: TimePoint, waitedBefore: TimeSpan) {
            self.policy = policy
            self.received = received
            self.start = start
            self.waitedBefore = waitedBefore
        }

        /// Nil for work.
        mutating func beginWait(_ phase: CallActivity?) { (waitPhase, isRemembered) = (phase, true) }

        mutating func recordSend(at now: TimePoint) {
            if hasSent { isRemembered = true }
            hasSent = true
            history.recordSend(at: start.span(to: now))
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
        return proceed(take(outcome, at: now), at: now)
    }

    /// The time has come, or the policy was woken, or its work is done.
    package mutating func resume() -> Effect {
        isFresh = false
        let now = clock.now()
        endWait(at: now)
        let last = layers.count - 1
        if layers[last].waitPhase != nil, let deadline = layers[last].received.deadline, deadline.point <= now {
            return interrupt(at: now) { $0.timedOut($1) }
        }
        return proceed(tell(.resumed, at: now), at: now)
    }

    /// The call ends during a wait: it was cancelled, or has another `error`.
    package mutating func interrupt(
        with error: (PolicyMoment, CallActivity) -> HTTPError = { $0.cancelled($1) }
    ) -> Effect { interrupt(at: clock.now(), error) }
}

extension PolicyRun {
    private mutating func interrupt(at now: TimePoint, _ error: (PolicyMoment, CallActivity) -> HTTPError) -> Effect {
        endWait(at: now)
        let last = layers.count - 1
        let error = error(moment(last, at: now), layers[last].waitPhase ?? .queued)
        layers[last].interruptions += 1
        guard layers[last].interruptions < 3 else { return proceed(.finish(.failure(error)), at: now) }
        return proceed(tell(.interrupted(error), at: now), at: now)
    }

    /// Follows the steps until the driver has something to do.
    private mutating func proceed(_ step: consuming PolicyStep, at now: TimePoint) -> Effect {
        while true {
            let last = layers.count - 1
            switch consume step {
            case .pass:
                layers[last].recordSend(at: now)
                let received = layers[last].received
                guard layers.count < policies.count else { return leave(received.request, received.deadline, at: now) }
                step = enter(received, at: now)
            case .send(let request):
                layers[last].recordSend(at: now)
                let deadline = deadline(of: request, within: last, at: now)
                guard layers.count < policies.count else { return leave(request, deadline, at: now) }
                step = enter(PolicyRequest(request, deadline, call), at: now)
            case .finish(let outcome):
                let outcome = layers[last].finished(outcome, at: now)
                guard last > 0 else { return .finish(outcome.answering(layers.removeLast().received.request)) }
                layers.removeLast()
                step = take(outcome, at: now)
            case .wait(let end, let phase):
                layers[last].beginWait(phase)
                waitStart = now
                layers[last].received.request.observer.map { $0.tell(.waitStarted(phase, id: $0.id)) }
                return .wait(
                    PolicyWait(
                        layer: last, end: end.map(TimePoint.init), deadline: layers[last].received.deadline?.point))
            case .run(let work):
                layers[last].beginWait(nil)
                waitStart = now
                let cause = layers[last].policy.workCause
                layers[last].received.request.observer.map { $0.tell(.waitStarted(cause, id: $0.id)) }
                return .run(work)
            case .sendInBackground(let request, let policy):
                layers[last].waitPhase = nil
                return .sendInBackground(request, [policy] + policies[(last + 1)...])
            }
        }
    }

    private mutating func endWait(at now: TimePoint) {
        guard let start = waitStart.take() else { return }
        let span = start.span(to: now)
        waited += span
        let duration = span.duration
        let layer = layers[layers.count - 1]
        let wait = CallWait(
            layer.waitPhase ?? layer.policy.workCause, start: layer.start.duration(to: start),
            duration: duration,
            reason: duration > .zero ? layer.policy.waitReason : nil)
        if duration > .zero { layers[layers.count - 1].history.recordWait(wait) }
        layer.received.request.observer.map { $0.tell(.waitFinished(wait, id: $0.id)) }
    }

    private mutating func enter(_ received: consuming PolicyRequest, at now: TimePoint) -> PolicyStep {
        layers.append(Layer(policies[layers.count], received, start: now, waitedBefore: waited))
        return tell(.started, at: now)
    }

    /// To the client. If nothing has taken time, the request's own timeout is enough.
    private func leave(_ request: Request, _ deadline: CallDeadline?, at now: TimePoint) -> Effect {
        let isOwn = isFresh && deadline?.point == request.timeouts.total.map { now + $0 }
        return .send(request, deadline: isOwn ? nil : deadline)
    }

    private mutating func take(_ outcome: consuming Result<Response, HTTPError>, at now: TimePoint) -> PolicyStep {
        let last = layers.count - 1
        layers[last].attempts += outcome.attempts
        layers[last].history.recordAnswer(outcome, at: layers[last].start.span(to: now))
        return tell(.answered(outcome), at: now)
    }

    private mutating func tell(_ event: PolicyEvent, at now: TimePoint) -> PolicyStep {
        let last = layers.count - 1
        let moment = moment(last, at: now)
        return layers[last].policy.next(event, in: moment)
    }

    private func moment(_ index: Int, at now: TimePoint) -> PolicyMoment {
        PolicyMoment(
            received: layers[index].received, startTime: layers[index].start, time: now,
            waitedSpan: waited - layers[index].waitedBefore, attempts: layers[index].attempts, layer: index)
    }

    /// The layer's deadline, unless the policy gave the request less time.
    private func deadline(of request: Request, within index: Int, at now: TimePoint) -> CallDeadline? {
        let total = request.timeouts.total
        let received = layers[index].received
        guard let total, total != received.request.timeouts.total else { return received.deadline }
        let own = CallDeadline(total, at: now + total, isSimulated: clock.isSimulated)
        return .earlier(own, received.deadline)
    }
}

extension Result where Success == Response, Failure == HTTPError {
    /// The outcome of the call that `request` made. What a redirect on its way is held to does not bind the caller, who
    /// may send the response's request again.
    fileprivate consuming func answering(_ request: Request) -> Self {
        guard let answered = answer?.request, answered.hop != nil, request.hop == nil else { return self }
        switch self {
        case .success(let response): return .success(response.answering(answered.withoutHop))
        case .failure(.unacceptableStatus(let response)):
            return .failure(.unacceptableStatus(response.answering(answered.withoutHop)))
        case .failure: return self
        }
    }
}

extension PolicyRun.Layer {
    /// The outcome with the figures of all its requests and waits.
    fileprivate mutating func finished(
        _ outcome: consuming Result<Response, HTTPError>, at now: TimePoint
    ) -> Result<Response, HTTPError> {
        guard isRemembered else { return outcome }
        return outcome.changingMetrics { metrics in
            metrics.attempts = attempts
            metrics.total = start.duration(to: now)
            history.complete(&metrics)
        }
    }
}

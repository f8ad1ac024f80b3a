import HTTPEngine
import HTTPSupport

/// Simulated time: nothing sleeps.
extension StubCall {
    /// Advances the time by the duration of the step; throws if the request allows less, or the call is cancelled.
    /// `response`: what comes then; nil for a failure.
    mutating func spend(
        _ step: StubAnswer.Step, since begin: TimePoint, before response: StubResponse? = nil
    ) throws(HTTPError) {
        if step.isPending || step.gate != nil { try hold(step, since: begin) }
        let left = deadline.map { now.duration(to: $0.point) }
        let request = plan.request
        let mayBeQuiet = response.map { request.mayBeQuiet(after: $0.status, $0.headers) } ?? request.mayBeQuiet
        let course = LatencyCourse(
            step.latencies, timeouts: request.timeouts, mayBeQuiet: mayBeQuiet, timeLeft: left)
        timings = course.timings
        pass(until: now + course.elapsed)
        if let stop = course.stop { throw timedOut(stop.limit, stop.phase) }
        try check(.waiting)
    }

    /// Blocks until the test releases the call, or it ends. Its time runs from the start of the exchange, because a
    /// test that has seen the request may advance the time before this is reached.
    private mutating func hold(_ step: StubAnswer.Step, since begin: TimePoint) throws(HTTPError) {
        let idle = plan.request.timeouts.idle.map { begin + $0 }
        let signal = Signal()
        let registration = token?.onCancel { signal.fire() }
        let subscription = step.isPending ? nil : step.gate?.add(signal)
        let alarm = [idle, deadline?.point].compactMap(\.self).min().map { time.setAlarm(at: $0, signal) }
        defer {
            registration?.remove()
            subscription?.cancel()
            if let alarm { time.removeAlarm(alarm) }
        }
        _ = signal.wait()
        now = max(now, time.now)
        try check(.waiting)
        if let idle, idle <= now, step.isPending || step.gate?.isReleased == false {
            throw timedOut(.idle, .waiting)
        }
    }

    mutating func pass(until end: TimePoint) {
        now = end
        time.reach(end)
    }

    func check(_ phase: CallActivity) throws(HTTPError) {
        if let token, token.isCancelled { throw .cancelled(record(phase)) }
        if let deadline, deadline.point <= now { throw timedOut(.total, phase) }
    }

    func timedOut(_ limit: TimeoutFailure.Limit, _ phase: CallActivity) -> HTTPError {
        if limit == .total, let deadline { return .timedOut(deadline, record(phase)) }
        return .timedOut(
            TimeoutFailure(limit, after: plan.request.timeouts.duration(of: limit), record: record(phase)))
    }

    func record(_ phase: CallActivity) -> CallRecord {
        CallRecord(plan.request, phase: phase, metrics: metrics(received: 0), redirects: plan.redirects)
    }

    func metrics(received: Int64) -> Metrics {
        var metrics = Metrics()
        metrics.attemptCount = plan.attempts
        metrics.total = start.duration(to: now)
        plan.complete(&metrics)
        metrics.timings = timings
        metrics.timings.complete = metrics.total - plan.start
        metrics.bytesReceived = received
        return metrics
    }
}

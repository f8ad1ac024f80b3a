import HTTPCore

/// Runs recorded calls through policies, event by event in simulated time: the driver of `PolicyRun` that blocks no
/// thread.
final class Simulation {
    private enum Event {
        case start(Int)
        case answer(Int, Result<Response, HTTPError>)
        /// The end of a wait, if it is still the wait with this number.
        case wake(Int, wait: Int)
    }

    private struct Course {
        var run: PolicyRun
        var attempts = 0
        var sends = 0
        /// The layer that waits; nil for none.
        var waiting: Int?
        var waits = 0
        var woken: UInt64 = 0
    }

    /// The call as its policies see it.
    private final class Time: Sendable {
        let passed = Locked(Duration.zero)
        /// Calls with woken policies, and the layers.
        let woken = Locked<[(call: Int, layer: Int)]>([])
    }

    private final class Call: PolicyCall {
        let clock: CallClock
        private let index: Int
        private let time: Time

        init(_ index: Int, _ clock: CallClock, _ time: Time) {
            (self.index, self.clock, self.time) = (index, clock, time)
        }

        var isCancelled: Bool { false }

        func wake(_ layer: Int) { time.woken.withLock { $0.append((index, layer)) } }
    }

    /// Without further policies.
    private struct NoPolicy: PassingPolicy {}

    private let replay: Replay
    private let policies: Replay.Policies
    private let random: SeededRandom
    private let time = Time()
    private let clock: CallClock
    /// When the first call begins.
    private let base = TimePoint.now
    /// Events of the same time are in the order in which they were added.
    private var timers = TimerHeap<Event>()
    private var courses: [Course?]
    private var results: [ReplayReport.Call?]
    private var active = 0
    private var mostActive = 0
    /// The times of requests, by second.
    private var sent: [Int64: Int] = [:]

    init(_ replay: Replay, _ policies: Replay.Policies, _ random: SeededRandom) {
        self.replay = replay
        self.policies = policies
        self.random = random
        courses = Array(repeating: nil, count: replay.calls.count)
        results = Array(repeating: nil, count: replay.calls.count)
        let startDate = replay.startDate
        clock = CallClock(
            now: { [base, time] in base + time.passed.withLock { $0 } },
            unixTime: { [time] in startDate + time.passed.withLock { $0 } / .seconds(1) }, sleep: { _, _, _ in false },
            isSimulated: true)
    }

    func report() -> ReplayReport {
        for (index, call) in replay.calls.enumerated() { schedule(.start(index), at: call.start) }
        while let due = timers.earliest, let timer = timers.popDue(at: due) {
            time.passed.withLock { $0 = max($0, base.duration(to: due)) }
            handle(timer.subject)
            wakeOthers()
        }
        return ReplayReport(
            calls: results.compactMap(\.self), attempts: sent.values.reduce(0, +), mostAtOnce: mostActive,
            mostPerSecond: sent.values.max() ?? 0)
    }

    private var now: Duration { time.passed.withLock { $0 } }

    // MARK: Events

    private func handle(_ event: Event) {
        switch event {
        case .start(let index): start(index)
        case .answer(let index, let outcome):
            active -= 1
            go(index) { $0.run.answer(outcome) }
        case .wake(let index, let wait):
            if let course = courses[index], course.waiting != nil, course.waits == wait {
                go(index) { $0.run.resume() }
            }
        }
    }

    private func start(_ index: Int) {
        let draft = policies.steps.reduce(replay.calls[index].draft) { $0 |> $1 }
        guard let request = try? Request(draft) else { return }
        let policies = policies.policies.isEmpty ? [NoPolicy()] : policies.policies
        courses[index] = Course(run: PolicyRun(policies, Call(index, clock, time)))
        go(index) { $0.run.start(request) }
    }

    private func wakeOthers() {
        while true {
            let woken = time.woken.withLock { woken in
                defer { woken = [] }
                return woken
            }
            guard !woken.isEmpty else { return }
            for (index, layer) in woken {
                courses[index]?.woken |= 1 << UInt64(layer & 63)
                if courses[index]?.waiting == layer { go(index) { $0.run.resume() } }
            }
        }
    }

    /// Runs a call until it waits.
    private func go(_ index: Int, _ advance: (inout Course) -> PolicyRun.Effect) {
        guard var course = courses[index].take() else { return }
        if let layer = course.waiting.take() { course.woken &= ~(1 << UInt64(layer & 63)) }
        var effect = advance(&course)
        while true {
            switch effect {
            case .send(let request, let deadline):
                send(request, deadline, index, course.sends)
                course.sends += 1
                return courses[index] = course
            case .wait(let wait):
                let bit: UInt64 = 1 << UInt64(wait.layer & 63)
                if course.woken & bit != 0 {
                    course.woken &= ~bit
                    effect = course.run.resume()
                } else {
                    course.waiting = wait.layer
                    course.waits += 1
                    if let end = wait.last {
                        schedule(.wake(index, wait: course.waits), at: base.duration(to: end))
                    }
                    return courses[index] = course
                }
            case .run(let work):
                work()
                effect = course.run.resume()
            // Not possible here: no simulated policy requests it.
            case .sendInBackground: effect = course.run.resume()
            case .finish(let outcome): return finish(index, outcome, course.sends)
            }
        }
    }

    private func finish(_ index: Int, _ outcome: Result<Response, HTTPError>, _ attempts: Int) {
        let call = replay.calls[index]
        let status: HTTPStatus? =
            switch outcome {
            case .success(let response): response.status
            case .failure(let error): error.status
            }
        results[index] = ReplayReport.Call(
            request: call.draft.description, start: call.start, latency: now - call.start, attempts: attempts,
            status: status)
    }

    // MARK: Exchanges

    private func send(_ request: Request, _ deadline: CallDeadline?, _ index: Int, _ earlier: Int) {
        let exchange = exchange(index, earlier)
        let ends = [deadline.map { base.duration(to: $0.point) }, request.timeouts.total.map { now + $0 }]
        let timeLeft = ends.compactMap(\.self).min().map { $0 - now }
        let course = LatencyCourse(exchange.latencies, timeouts: request.timeouts, timeLeft: timeLeft)
        active += 1
        mostActive = max(mostActive, active)
        sent[now.components.seconds, default: 0] += 1
        schedule(.answer(index, outcome(exchange, of: request, course)), at: now + course.elapsed)
    }

    /// The recorded exchange; for a further attempt, any recorded for the same place.
    private func exchange(_ index: Int, _ earlier: Int) -> RecordedTraffic.Exchange {
        let call = replay.calls[index]
        guard earlier > 0, let all = replay.outcomes[call.key], !all.isEmpty else { return call.first }
        return all[Int(random.next() % UInt64(all.count))]
    }

    private func outcome(
        _ exchange: RecordedTraffic.Exchange, of request: Request, _ course: LatencyCourse
    ) -> Result<Response, HTTPError> {
        var metrics = Metrics()
        metrics.total = course.elapsed
        metrics.timings = course.timings
        metrics.timings.complete = course.elapsed
        if let stop = course.stop {
            let record = CallRecord(request, phase: stop.phase, metrics: metrics)
            return .failure(.timedOut(TimeoutFailure(stop.limit, after: course.elapsed, record: record)))
        }
        let recorded = exchange.response
        guard recorded.status > 0 else {
            let failure = recorded.failure ?? HTTPArchive.Failure(browserError: recorded.error ?? "")
            return .failure(failure.error(request, redirects: []))
        }
        return .success(
            Response(
                request: request, status: HTTPStatus(recorded.status),
                headers: ReplayedResponse(recorded: recorded, to: request).headers(bodyLength: 0), metrics: metrics))
    }

    // MARK: Time

    private func schedule(_ event: Event, at time: Duration) {
        timers.insert(.init(instant: base + max(time, now), event))
    }
}

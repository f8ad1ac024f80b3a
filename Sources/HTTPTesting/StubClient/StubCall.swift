import HTTPEngine
import HTTPFoundation
import HTTPSupport

/// One call to a stub, with its exchanges. Used only on the thread of the call.
struct StubCall {
    private let script: StubScript
    private let recorder: StubRecorder
    let time: SimulatedTime
    let start: TimePoint
    let deadline: CallDeadline?
    /// The time of this call. The shared time may be ahead, because other calls advance it, too.
    var now: TimePoint
    let token = CancellationToken.current
    var plan: CallPlan
    /// The timings of the current exchange.
    var timings = PhaseTimings()

    /// `deadline` is one in this simulated time, beside the current one.
    init(
        _ request: Request, script: StubScript, recorder: StubRecorder, time: SimulatedTime,
        within deadline: CallDeadline? = nil
    ) {
        self.script = script
        self.recorder = recorder
        self.time = time
        start = time.now
        now = start
        let outer = deadline.map { $0.at($0.point, isSimulated: true) }
        self.deadline = .earlier(time.clock.deadline(of: request.timeouts, from: start), outer)
        plan = CallPlan(request)
    }

    @available(*, noasync)
    mutating func run() -> Result<Response, HTTPError> {
        while true {
            do throws(HTTPError) {
                if let response = try exchange() { return .success(response) }
            } catch {
                plan.fail(with: error)
                return .failure(error)
            }
        }
    }

    /// One exchange. Nil if another follows.
    @available(*, noasync)
    private mutating func exchange() throws(HTTPError) -> Response? {
        let begin = now
        let received = try open()
        guard let match = script.match(received, recorder) else {
            recorder.note(received)
            return try fallBack(received)
        }
        recorder.note(match.request)
        let (answer, step) = match.answer
        switch answer {
        case .response(let response):
            try spend(step, since: begin, before: response)
            return try deliver(response)
        case .failure(let failure):
            try spend(step, since: begin)
            throw fail(failure, to: match.request.request)
        case .unusable(let reason): throw unusable(match.route, reason)
        }
    }

    /// Begins an exchange, and returns what is sent.
    mutating func open() throws(HTTPError) -> StubbedRequest {
        try check(.starting)
        timings = PhaseTimings()
        plan.begin(after: start.duration(to: now), timeLeft: deadline.map { now.duration(to: $0.point) })
        return StubbedRequest(plan.sent, body: try readBody())
    }

    /// The whole body, from any source, as a transport sends it.
    private func readBody() throws(HTTPError) -> Data {
        do throws(BodyProblem) {
            var stream = try plan.sent.openBody()
            return try stream.rest()
        } catch {
            throw .body(BodyFailure(error, record: record(.sending)))
        }
    }
}

/// The answer to the request.
extension StubCall {
    /// A timeout takes the time that the request allows, unless the call has less.
    private mutating func fail(_ failure: StubFailure, to request: Request) -> HTTPError {
        if let limit = failure.limit {
            let end = now + request.timeouts.duration(of: limit)
            if let deadline, deadline.point < end {
                pass(until: max(deadline.point, now))
                return timedOut(.total, failure.phase)
            }
            pass(until: end)
        }
        return failure.make(request, record(failure.phase))
    }

    /// An error of the test itself, which must not look like the server's.
    private func unusable(_ route: StubRoute, _ reason: String) -> HTTPError {
        let problem = StubProblem.unusable(route, reason)
        recorder.note(unusable: problem)
        return .unsupported(Unsupported("the stub's route \(route)", reason))
    }

    @available(*, noasync)
    private mutating func fallBack(_ received: StubbedRequest) throws(HTTPError) -> Response? {
        if case .pass(let client) = script.fallback {
            let request = try passable(received)
            let response = try time.leave { client.executeRequest(request) }.get()
            // The exchange that began here ends for its observer, too.
            plan.observer?.finished(CallAttempt(record(.receiving), outcome: .answered(response.status)))
            return response
        }
        let unmatched = script.unmatched(received, recorder)
        recorder.note(unmatched: unmatched)
        guard case .notFound = script.fallback else {
            throw .other(unmatched)
        }
        let text = Data("\(unmatched)\n".utf8)
        return try deliver(
            StubResponse(
                status: .notFound, headers: ["Content-Type": "text/plain; charset=utf-8"], pieces: [text],
                length: text.count))
    }

    /// A single-use body was read to match the request; these are its bytes.
    private func passable(_ received: StubbedRequest) throws(HTTPError) -> Request {
        guard !plan.request.body.isReplayable else { return plan.request }
        var draft = MutableRequest(plan.request)
        draft.body = .data(received.body, contentType: plan.request.body.contentType)
        return try Request(draft)
    }
}

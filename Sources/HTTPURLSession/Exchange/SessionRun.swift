import Foundation
import HTTPSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One exchange, from the start of the task to the complete response, on the calling thread.
struct SessionRun {
    private let session: SessionPool.Session
    private let plan: CallPlan
    private let urlRequest: URLRequest
    private let call: EngineCall
    private let start: TimePoint
    private let mailbox = SessionEventQueue()
    private var answer: SessionAnswer
    private var upload: SessionUpload?
    private var deadlines: Deadlines
    /// When the head arrived, and when the exchange was over, since its start: what can be measured outside the engine.
    private var (firstByte, complete) = (Duration.zero, Duration.zero)
    /// Whether the task has ended by itself, so that its session runs nothing any more.
    private(set) var isTaskOver = false

    init(
        _ session: SessionPool.Session, _ urlRequest: URLRequest, plan: CallPlan, in call: EngineCall,
        from start: TimePoint
    ) {
        self.session = session
        self.plan = plan
        self.urlRequest = urlRequest
        self.call = call
        self.start = start
        answer = SessionAnswer(plan)
        deadlines = Self.deadlines(of: plan.request, from: start, in: call)
    }

    private var request: Request { plan.request }

    private static func deadlines(of request: Request, from start: TimePoint, in call: EngineCall) -> Deadlines {
        var timeouts = request.timeouts
        timeouts.connect = timeouts.silence
        return Deadlines(timeouts, now: start, total: call.deadline?.point)
    }

    /// Sends the request and receives the response. Blocks until the exchange is over.
    mutating func perform() -> CallPlan.Outcome {
        if let limit = deadlines.passed(at: start) {
            return .failed(timeout(limit, plan.unsentRecord(since: call.start)), isStale: false)
        }
        do throws(BodyProblem) {
            if PlatformSession.streams(request.body) { upload = try SessionUpload(request.body) }
            if let outcome = try prepare() { return outcome }
        } catch {
            return .failed(.body(BodyFailure(error, record: record(.starting))), isStale: false)
        }
        return send()
    }

    /// Prepares the body. The limits of the exchange count from its end; that of the whole call counts from the start.
    private mutating func prepare() throws(BodyProblem) -> CallPlan.Outcome? {
        while upload?.isReady == false {
            try upload?.prepare()
            if call.isCancelled { return .failed(.cancelled(record(.starting)), isStale: false) }
            if let end = call.deadline, end.point <= .now {
                return .failed(timeout(.total, record(.starting)), isStale: false)
            }
        }
        deadlines = Self.deadlines(of: request, from: .now, in: call)
        return nil
    }

    private mutating func send() -> CallPlan.Outcome {
        let task = SessionTask(session, framed(urlRequest), upload?.carrier, mailbox: mailbox)
        let registration = call.token?.onCancel { [mailbox] in mailbox.wake() }
        task.start()
        defer {
            registration?.remove()
            task.cancel()
            answer.abandon()
        }
        return outcome(of: drive(task))
    }

    /// Adds the framing that the session does not know for a streamed body.
    private func framed(_ urlRequest: URLRequest) -> URLRequest {
        var urlRequest = urlRequest
        for (name, value) in upload?.framing ?? [] { urlRequest.setValue(value, forHTTPHeaderField: name) }
        return urlRequest
    }

    private mutating func drive(_ task: SessionTask) -> SessionAnswer.Ending {
        while true {
            if let ending = takeEvents(task) { return ending }
            if call.isCancelled { return .failed(.cancelled) }
            let now = TimePoint.now
            if let limit = deadlines.passed(at: now) { return .failed(.timedOut(limit)) }
            if deadlines.isDrainOver(at: now), let head = answer.head { return .answered(head) }
            do {
                switch try upload?.pump() {
                case .moved:
                    if answer.isConnected {
                        deadlines.noteProgress(
                            at: TimePoint.now, isConnected: true, mayBeQuiet: answer.receiver.mayBeQuiet)
                    }
                case .full: mailbox.wait(until: now + .milliseconds(min(100, deadlines.pollMilliseconds(at: now))))
                case .finished, nil: mailbox.wait(until: now + .milliseconds(deadlines.pollMilliseconds(at: now)))
                }
            } catch { return .failed(.stopped(.body(error))) }
        }
    }

    /// Takes the available events, checking the token and the clock in between.
    private mutating func takeEvents(_ task: SessionTask) -> SessionAnswer.Ending? {
        while let event = mailbox.take() {
            let ending = answer.take(event)
            if case .completed(nil, _) = event, ending != nil {
                isTaskOver = answer.head?.announcesForbiddenBody != true
            }
            task.catchUp()
            if answer.head != nil, firstByte == .zero { firstByte = start.duration(to: .now) }
            if let ending { return ending }
            let now = TimePoint.now
            deadlines.noteProgress(
                at: now, isConnected: answer.isConnected, mayBeQuiet: answer.receiver.mayBeQuiet)
            if answer.receiver.isFollowedRedirect { deadlines.noteDraining(at: now) }
            if call.isCancelled || deadlines.passed(at: now) != nil { return nil }
        }
        return nil
    }

    private mutating func outcome(of ending: SessionAnswer.Ending) -> CallPlan.Outcome {
        complete = start.duration(to: .now)
        switch ending {
        case .answered(let head): return .answered(head)
        case .failed(let failure):
            if case .cancelled = failure, let head = answer.receiver.headIfLeft { return .answered(head) }
            if case .engine = failure, upload?.isRefused == true, answer.head == nil {
                let refusal = ConnectionFailure(.unprocessed, mayHaveBeenProcessed: false, record: record(phase))
                return .unprocessed(.connection(refusal))
            }
            return .failed(error(failure), isStale: false)
        }
    }

    private func error(_ failure: SessionAnswer.Failure) -> HTTPError {
        let record = record(phase)
        switch failure {
        case .cancelled: return .cancelled(record)
        case .timedOut(let limit): return timeout(limit, record)
        case .stopped(let stop): return stop.error(record)
        case .truncated(let reason):
            return .truncatedBody(TruncatedBody(reason, received: answer.receivedCount, record: record))
        case .coding(let coding):
            return PlatformSession.unsupported(
                "the body of \(record.url) as it came, in the Content-Encoding \(coding.debugDescription)",
                "undoes the coding whatever Accept-Encoding says", isAnswered: true)
        case .lostBody:
            return PlatformSession.unsupported(
                "the body of \(record.url), a redirect that names no place", "loses it", isAnswered: true)
        case .joinedParts:
            return PlatformSession.unsupported(
                "the body of \(record.url), multipart/x-mixed-replace", "leaves out what is between its parts",
                isAnswered: true)
        case .untrusted(let failure, let isProxy):
            var record = self.record(.securing)
            record.engine = failure.engine
            return .tls(TLSFailure(failure.reason, isProxy: isProxy, record: record))
        case .silence:
            return .connection(ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: true, record: record))
        case .engine(let failure):
            if let problem = upload?.problem { return problem.error(record) }
            var record = record
            record.engine = failure.note
            return failure.error(record, head: answer.head, received: answer.receivedCount)
        }
    }

    private func timeout(_ limit: Timeouts.Limit, _ record: CallRecord) -> HTTPError {
        // No bytes have moved, and only the system knows whether there was a connection.
        if limit == .connect {
            return .timedOut(TimeoutFailure(.idle, after: request.timeouts.silence ?? .zero, record: record))
        }
        return request.timeouts.failure(limit, by: call.deadline, record)
    }

    /// The phase that the exchange has visibly reached: resolving and connecting look like waiting.
    private var phase: CallActivity {
        if answer.head != nil { return .receiving }
        guard let count = request.body.length else { return answer.sentCount == 0 ? .sending : .waiting }
        return answer.sentCount >= count ? .waiting : .sending
    }

    func record(_ phase: CallActivity) -> CallRecord {
        var record = CallRecord(request, phase: phase, metrics: metrics, redirects: plan.redirects)
        record.proxy = PlatformSession.proxy(for: request.origin)
        return record
    }

    mutating func response(of plan: CallPlan) -> Response { answer.receiver.response(of: plan, metrics: metrics) }

    private var metrics: Metrics {
        var metrics = Metrics()
        metrics.timings.firstByte = firstByte
        metrics.timings.complete = complete
        metrics.total = call.start.duration(to: .now)
        metrics.timings.finished = metrics.total - plan.start
        metrics.bytesSent = answer.sentCount
        metrics.bytesReceived = Int64(answer.receiver.headByteCount) + answer.receivedCount
        metrics.attemptCount = plan.attempts
        plan.complete(&metrics)
        return metrics
    }
}

extension Timeouts {
    /// For an engine that does not report when a connection is established: until the first sign of one, the connect and the
    /// idle timeout apply together. Without an idle timeout only the call's own limit applies.
    fileprivate var silence: Duration? { idle.map { (connect ?? .zero) + $0 } }
}

import HTTPCore
import HTTPEngine
import HTTPSupport

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// One exchange, from the start of the task to the complete response, on the calling thread.
struct SessionRun {
    private let session: SessionPool.Session
    private let plan: CallPlan
    private let urlRequest: URLRequest
    private let callStart: TimePoint
    private let start: TimePoint
    private let mailbox = SessionEventQueue()
    private var answer: SessionAnswer
    private var upload: SessionUpload?
    private var deadlines: Deadlines
    private var clock = SessionMetrics()
    /// Whether the task has ended by itself, so that its session runs nothing any more.
    private(set) var isTaskOver = false

    init(
        _ session: SessionPool.Session, _ urlRequest: URLRequest, plan: CallPlan, callStart: TimePoint,
        start: TimePoint
    ) {
        self.session = session
        self.plan = plan
        self.urlRequest = urlRequest
        self.callStart = callStart
        self.start = start
        answer = SessionAnswer(plan)
        deadlines = Self.deadlines(of: plan.request, from: start, callStart: callStart)
    }

    private var request: Request { plan.request }

    private static func deadlines(of request: Request, from start: TimePoint, callStart: TimePoint) -> Deadlines {
        let timeouts = SilenceTimeouts.of(request.timeouts)
        return Deadlines(timeouts, now: start, total: timeouts.deadline(from: callStart)?.point)
    }

    /// The body of a finished exchange.
    private(set) var body = Data()

    /// Sends the request and receives the response. Blocks until the exchange is over.
    mutating func perform(token: CancellationToken?) -> CallPlan.Outcome {
        if let limit = deadlines.passed(at: start) {
            return .failed(timeout(limit, plan.unsentRecord(since: callStart)), isStale: false)
        }
        do throws(BodyProblem) {
            if request.body.isStreamed { upload = try SessionUpload(request.body) }
            if let outcome = try prepare(token) { return outcome }
        } catch {
            return .failed(.body(BodyFailure(error, record: record(.starting))), isStale: false)
        }
        return send(token)
    }

    /// Prepares the body. The limits of the exchange count from its end; that of the whole call counts from the start.
    private mutating func prepare(_ token: CancellationToken?) throws(BodyProblem) -> CallPlan.Outcome? {
        while upload?.isReady == false {
            try upload?.prepare()
            if token?.isCancelled == true { return outcome(of: .cancelled) }
            if let end = request.timeouts.deadline(from: callStart), end.point <= .now {
                return outcome(of: .timedOut(.total))
            }
        }
        deadlines = Self.deadlines(of: request, from: .now, callStart: callStart)
        return nil
    }

    private mutating func send(_ token: CancellationToken?) -> CallPlan.Outcome {
        let task = SessionTask(session, framed(urlRequest), upload?.carrier, mailbox: mailbox)
        let registration = token?.onCancel { [mailbox] in mailbox.wake() }
        task.start()
        defer {
            registration?.remove()
            task.cancel()
            answer.abandon()
        }
        return outcome(of: drive(task, token))
    }

    /// Adds the framing that the session does not know for a streamed body.
    private func framed(_ urlRequest: URLRequest) -> URLRequest {
        guard let framing = upload?.framing else { return urlRequest }
        var urlRequest = urlRequest
        urlRequest.setValue(framing.value, forHTTPHeaderField: framing.name)
        return urlRequest
    }

    /// Why driving the task ended.
    private enum Ending {
        case over(SessionAnswer.Ending)
        case cancelled
        case timedOut(Timeouts.Limit)
    }

    private mutating func drive(_ task: SessionTask, _ token: CancellationToken?) -> Ending {
        while true {
            if let ending = takeEvents(task, token) { return .over(ending) }
            if let token, token.isCancelled { return .cancelled }
            let now = TimePoint.now
            if let limit = deadlines.passed(at: now) { return .timedOut(limit) }
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
            } catch { return .over(.failed(.stopped(.body(error)))) }
        }
    }

    /// Takes the available events, checking the token and the clock in between.
    private mutating func takeEvents(_ task: SessionTask, _ token: CancellationToken?) -> SessionAnswer.Ending? {
        while let event = mailbox.take() {
            let ending = answer.take(event)
            if case .completed(nil, let head) = event, ending != nil {
                isTaskOver = !PlatformSession.mayRunOn(head) && answer.head?.announcesForbiddenBody != true
            }
            task.catchUp()
            clock.note(answer, at: start.duration(to: .now))
            if let ending { return ending }
            let now = TimePoint.now
            deadlines.noteProgress(
                at: now, isConnected: answer.isConnected, mayBeQuiet: answer.receiver.mayBeQuiet)
            if token?.isCancelled == true || deadlines.passed(at: now) != nil { return nil }
        }
        return nil
    }

    private mutating func outcome(of ending: Ending) -> CallPlan.Outcome {
        clock.end(at: start.duration(to: .now))
        switch ending {
        case .over(.answered(let head, let body)):
            self.body = body
            return .answered(head)
        case .over(.failed(let failure)): return .failed(error(failure), isStale: false)
        case .cancelled:
            if let head = answer.receiver.headIfLeft { return .answered(head) }
            return .failed(.cancelled(record(phase)), isStale: false)
        case .timedOut(let limit): return .failed(timeout(limit, record(phase)), isStale: false)
        }
    }

    private func error(_ failure: SessionAnswer.Failure) -> HTTPError {
        let record = record(phase)
        switch failure {
        case .stopped(let stop): return stop.error(record)
        case .truncated(let reason):
            return .truncatedBody(TruncatedBody(reason, received: answer.receivedCount, record: record))
        case .coding(let coding):
            return PlatformSession.unsupported(
                "the body of \(record.url) as it came, in the Content-Encoding \(coding.debugDescription)",
                "it undoes the coding whatever Accept-Encoding says")
        case .untrusted(let failure, let isProxy):
            var record = self.record(.securing)
            record.engine = failure.engine
            return .tls(TLSFailure(failure.reason, isProxy: isProxy, record: record))
        case .silence:
            return .connection(ConnectionFailure(.closedBeforeResponse, mayHaveBeenProcessed: true, record: record))
        case .engine(let failure):
            var record = record
            record.engine = failure.note
            return failure.error(record, head: answer.head, received: answer.receivedCount)
        }
    }

    private func timeout(_ limit: Timeouts.Limit, _ record: CallRecord) -> HTTPError {
        let timeouts = request.timeouts
        // No bytes have moved, and only the system knows whether there was a connection.
        if limit == .connect {
            let silence = SilenceTimeouts.of(timeouts).connect ?? .zero
            return .timedOut(TimeoutFailure(.idle, after: silence, record: record))
        }
        let duration = limit == .idle ? timeouts.idle : timeouts.deadline(from: callStart)?.allowance
        return .timedOut(TimeoutFailure(limit, after: duration ?? .zero, record: record))
    }

    /// The phase that the exchange has visibly reached: resolving and connecting look like waiting.
    private var phase: CallActivity {
        if answer.head != nil { return .receiving }
        guard let count = request.body.count else { return answer.sentCount == 0 ? .sending : .waiting }
        return answer.sentCount >= count ? .waiting : .sending
    }

    func record(_ phase: CallActivity) -> CallRecord {
        CallRecord(request, phase: phase, metrics: metrics, redirects: plan.redirects)
    }

    var bodyByteCount: Int64 { answer.receiver.byteCount }

    var metrics: Metrics { clock.metrics(answer, plan, callStart: callStart) }
}

import HTTPSupport

/// The course of one call: which request is sent next, and when the call is over.
///
/// It makes every decision (redirects, cookies, the one transparent retry) and performs none, so that any engine can
/// drive it: send `sent`, and pass the outcome to `advance`.
package struct CallPlan: Sendable {
    /// The request of the current exchange, without the cookies of its jar.
    package private(set) var request: Request
    private var course = RedirectCourse()
    /// The redirects that led to it.
    package var redirects: [RedirectHop] { course.hops }
    /// Whether the response to deliver has changed the cookies.
    package var hasNewCookies: Bool { course.hasNewCookies }
    /// The request with those cookies; nil without cookies.
    private var requestWithCookies: Request?
    /// The request with the fields known only when it is sent; nil if there are none.
    private var requestAsSent: Request?
    /// The request of the current exchange, for its response.
    package var answered: Request {
        request.cookies == nil ? request : request.rememberingCookies(of: requestWithCookies)
    }
    /// The request as it goes out.
    package var sent: Request { requestAsSent ?? requestWithCookies ?? request }
    /// Tells it from all other calls of a transport.
    private let serial = CallID.next().number
    /// How many exchanges were started.
    package private(set) var attempts = 0
    /// When the current exchange began, relative to the start of the call.
    package private(set) var start = Duration.zero
    /// The exchanges before it.
    package private(set) var earlier: [CallAttempt] = []
    /// The observer; nil for none.
    package private(set) var observer: AttemptObserver?
    /// The origin that the call was made to: others are sent no trace context and no deadline.
    private let origin: Origin?
    private var hasRetried = false
    /// Whether the server may have processed the request of an earlier exchange.
    private var mayHaveBeenProcessed = false
    /// Whether `request` was tried before, on a kept connection that turned out to be unusable.
    package var isSecondTry: Bool { hasRetried }

    package init(_ request: Request) {
        self.request = request
        origin = request.observer == nil && request[DeadlineHeaderKey.self] == nil ? nil : request.callOrigin
        requestWithCookies = Self.requestWithCookies(request)
    }

    private static func requestWithCookies(_ request: Request) -> Request? {
        request.cookies == nil ? nil : request.withCookies()
    }

    /// The outcome of one exchange.
    package enum Outcome: Sendable {
        case answered(ResponseHead)
        /// `isStale`: a kept connection died before a line of the response, as idle connections do.
        case failed(HTTPError, isStale: Bool)
        /// The server has said that it did not process the request (RFC 9113 §8.7).
        case unprocessed(HTTPError)
        /// Nothing was sent: the kept connection had received unsolicited bytes, or was in use. If the request is sent again, the
        /// engine goes on with the body that it has opened: it is unread, and can perhaps be opened only once.
        case unfit
    }

    package enum Step: Sendable {
        /// Send `request`.
        case send
        /// The exchange's response is the call's.
        case deliver
        case fail(HTTPError)
    }

    /// Counts an exchange that is about to start, `start` after the call did, and with `timeLeft` until its deadline.
    package mutating func begin(after start: Duration = .zero, timeLeft: Duration? = nil) {
        attempts += 1
        if attempts > 1 { self.start = start }
        guard request.observer != nil || request[DeadlineHeaderKey.self] != nil else { return }
        prepareToSend(timeLeft)
    }

    @inline(never)
    private mutating func prepareToSend(_ timeLeft: Duration?) {
        requestAsSent = nil
        // An exchange that continues on another connection was reported already.
        let isNew = observer == nil
        if isNew { observer = request.observer?.beginAttempt() }
        let isAtOrigin = request.origin == origin
        let deadline = request[DeadlineHeaderKey.self].flatMap {
            isAtOrigin || request.redirects.letsCross($0.name) ? $0 : nil
        }
        var headers = sent.headers
        if isAtOrigin, let context = observer?.context {
            headers.set(context.traceparent, for: "traceparent")
            headers["tracestate"] = context.state.isEmpty ? nil : context.state
        }
        if let deadline, let timeLeft { headers.set(deadline.value(timeLeft), for: deadline.name) }
        if headers != sent.headers {
            requestAsSent = Request(sent, method: sent.method, url: sent.url, headers: headers, body: sent.body)
        }
        if isNew { observer?.started(sent) }
    }

    /// Adds the earlier exchanges to `metrics`.
    @inline(__always)
    package func complete(_ metrics: inout Metrics) {
        metrics.serial = serial
        if attempts > 1 || !earlier.isEmpty { addEarlier(to: &metrics) }
    }

    @inline(never)
    private func addEarlier(to metrics: inout Metrics) {
        metrics.changePrelude { values in
            values.start = start
            values.attempts = earlier
        }
    }

    /// The record of a call that began at `callStart`, for an exchange that does not begin.
    package func unsentRecord(since callStart: TimePoint) -> CallRecord {
        var metrics = Metrics()
        metrics.attemptCount = attempts
        if attempts > 0 || hasRetried {
            metrics.total = callStart.duration(to: .now)
            if attempts > 0 { metrics.timings.finished = metrics.total - start }
            metrics.timings.started = metrics.timings.finished
        }
        complete(&metrics)
        return CallRecord(request, metrics: metrics, redirects: redirects)
    }

    /// `record` is of the plan as it stands.
    package mutating func advance(after outcome: Outcome, record: (CallPlan) -> CallRecord) -> Step {
        observer == nil ? step(after: outcome, record) : observedStep(after: outcome, record)
    }

    private mutating func step(after outcome: Outcome, _ record: (CallPlan) -> CallRecord) -> Step {
        switch outcome {
        case .answered(let head): follow(head, record: record)
        case .failed(let error, let isStale):
            retry(error, if: isStale && request.method.isIdempotent, because: "connection closed before the answer")
        case .unprocessed(let error): retry(error, if: true, because: "not processed")
        case .unfit: beginAnew(record)
        }
    }

    /// Ends the call with `error`, and its current exchange, if any: between two exchanges, and for engines that do not ask
    /// what is next.
    package mutating func fail(with error: HTTPError) {
        guard let observer = observer.take() else { return }
        observer.finished(CallAttempt(error.record ?? CallRecord(request), failedBy: error))
    }

    /// The same, and reports the exchange, whose redirect is known only then.
    @inline(never)
    private mutating func observedStep(after outcome: Outcome, _ record: (CallPlan) -> CallRecord) -> Step {
        var attempt: CallAttempt
        switch outcome {
        case .answered(let head): attempt = CallAttempt(record(self), outcome: .answered(head.status))
        case .failed(let error, _), .unprocessed(let error):
            attempt = CallAttempt(error.record ?? CallRecord(request), failedBy: error)
        case .unfit: return step(after: outcome, record)
        }
        let step = step(after: outcome, record)
        if case .answered = outcome, case .send = step { attempt.redirect = earlier.last?.redirect }
        observer.take()?.finished(attempt)
        return step
    }

    /// `error` of an exchange as that of the whole call.
    package func whole(_ error: HTTPError) -> HTTPError { mayHaveBeenProcessed ? error.afterProcessing : error }

    /// Whether the response to `request` that begins with `head` is a followed redirect.
    package func isFollowedRedirect(_ head: ResponseHead) -> Bool {
        RedirectDecision.isFollowedRedirect(head.status, head.headers, answering: request)
    }

    private mutating func follow(_ head: ResponseHead, record: (CallPlan) -> CallRecord) -> Step {
        if head.hasNewCookies { course.noteNewCookies() }
        if request.isRepeatedWithoutExpectation(after: head.status) { return dropExpectation(record) }
        switch course.next(head.status, head.headers, answering: request) {
        case .final: return .deliver
        case .follow(let next, _):
            earlier.record(redirected(record(self), by: head.status, to: next))
            request = next
            requestWithCookies = Self.requestWithCookies(next)
            hasRetried = false
            mayHaveBeenProcessed = true
            return .send
        case .refuse(let reason, let location):
            return .fail(
                .redirect(
                    RedirectFailure(reason, status: head.status, location: location, record: record(self))))
        }
    }

    /// The exchange that only led on to `next`.
    private func redirected(_ record: CallRecord, by status: HTTPStatus, to next: Request) -> CallAttempt {
        var attempt = CallAttempt(record, outcome: .answered(status))
        let withheld = request.headers.map(\.name).filter { !next.headers.contains($0) }
        attempt.redirect = CallAttempt.Redirect(
            method: next.method, location: Redaction.url(next.url),
            withheldHeaders: withheld.prefix(CallHistory.limit).map(ASCII.printable),
            repeatsBody: !request.body.isEmpty && !next.body.isEmpty)
        return attempt
    }

    /// Repeats the request on a new connection. A request that was not sent can be repeated whatever its method and
    /// body, and does not count as an attempt.
    private mutating func beginAnew(_ record: (CallPlan) -> CallRecord) -> Step {
        guard !isSecondTry else {
            return .fail(
                .connection(
                    ConnectionFailure(
                        .closedBeforeResponse, mayHaveBeenProcessed: mayHaveBeenProcessed, record: record(self))))
        }
        attempts -= 1
        hasRetried = true
        return .send
    }

    /// Repeats the request without its expectation: this happens once.
    private mutating func dropExpectation(_ record: (CallPlan) -> CallRecord) -> Step {
        earlier.record(CallAttempt(record(self), outcome: .answered(417)))
        request = Request(request, headers: request.headers) { $0.continueWait = nil }
        requestWithCookies = Self.requestWithCookies(request)
        return .send
    }

    /// Repeats a request if the server has not processed it: it says so, or a kept connection failed, that is, the
    /// server had closed it, which may only be noticed when sending. Then only a request that may be repeated is (RFC
    /// 9112 §9.3.1). This happens once, on a new connection.
    private mutating func retry(_ error: HTTPError, if isUnprocessed: Bool, because reason: String) -> Step {
        guard isUnprocessed, !hasRetried else { return .fail(whole(error)) }
        guard request.body.isReplayable else {
            return .fail(
                error.record.map { .body(BodyFailure(.notReplayable, underlying: error, record: $0)) } ?? error)
        }
        hasRetried = true
        if error.mayHaveBeenProcessed { mayHaveBeenProcessed = true }
        if let record = error.record {
            earlier.record(CallAttempt(record, outcome: .failed(record.phase, reason: reason)))
        }
        return .send
    }
}

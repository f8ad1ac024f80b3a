import HTTPSupport

/// A call and its exchanges. It neither waits nor starts anything, so one thread can drive one call or many: take a
/// transfer for `key`, `begin` in it, run it, and pass its outcome to `finish`, until that returns the result.
struct CurlCall {
    private(set) var plan: CallPlan
    let start: TimePoint
    /// The earlier of the request's timeout and the one around the call.
    let deadline: CallDeadline?
    private let defaultVersion: VersionPolicy
    /// The state of the current exchange.
    var deadlines: Deadlines
    /// When the last exchange was over: the next one begins there, so that the parts of the call leave no gap.
    private(set) var end: TimePoint?
    /// The body of an exchange that has sent nothing, for the one behind it: it can perhaps be opened only once.
    private var unread = UploadReader()

    /// A call whose deadline is known, the request's timeout included.
    init(_ request: Request, from start: TimePoint, by deadline: CallDeadline?, defaultVersion: VersionPolicy) {
        plan = CallPlan(request)
        (self.start, self.deadline, self.defaultVersion) = (start, deadline, defaultVersion)
        deadlines = Deadlines(request.timeouts, now: start, total: deadline?.point)
    }

    /// A call that is made now, on this thread, within `outer`.
    init(_ request: Request, within outer: CallDeadline? = .current, defaultVersion: VersionPolicy) {
        let start = TimePoint.now
        let own = request.timeouts.ownDeadline(from: start)
        self.init(request, from: start, by: .earlier(own, outer), defaultVersion: defaultVersion)
    }

    /// What kind of transfer the next exchange needs.
    var key: ConnectionKey { ConnectionKey(plan.request, defaultVersion: defaultVersion) }

    /// Whether `transfer` is of that kind. Mutating without a change, to avoid a copy of the call.
    mutating func fits(_ transfer: CurlTransfer) -> Bool { transfer.fits(plan.request, defaultVersion: defaultVersion) }

    /// The error when it is cancelled between two exchanges.
    var cancellation: HTTPError { .cancelled(unsent) }

    /// Its result when `error` ends it between two exchanges.
    mutating func fail(with error: HTTPError) -> Result<Response, HTTPError> {
        plan.fail(with: error)
        return .failure(plan.whole(error))
    }

    /// The record of an exchange that does not begin.
    private var unsent: CallRecord { plan.unsentRecord(since: start) }

    /// Its destination is not allowed.
    private func refused(_ refusal: DestinationGuard.Refusal, in transfer: CurlTransfer) -> HTTPError {
        var record = unsent
        record.proxy = transfer.proxy?.authority
        record.unixSocketPath = transfer.unixSocketPath
        return .destinationRefused(DestinationFailure(refusal, record: record))
    }

    /// The last reading of the clock: the end of the exchange before, or the start of the call.
    var startOfExchange: TimePoint { end ?? start }

    /// Prepares `transfer` for the next exchange. A returned ending means that it must not run.
    mutating func begin(in transfer: CurlTransfer, at now: TimePoint) -> TransferResult? {
        if plan.attempts > 0 { deadlines = Deadlines(plan.request.timeouts, now: now, total: deadline?.point) }
        // The deadline has passed: libcurl would send the request before the clock is read again.
        if let limit = deadlines.passed(at: now) { return .unsent(overdue(limit)) }
        let start = startOfExchange
        plan.begin(after: self.start.duration(to: start), timeLeft: deadline.map { now.duration(to: $0.point) })
        if let unsupported = plan.request.requiredTLS?.refusal(
            of: transfer.tls, for: plan.request.origin.host,
            remedy: "make it with the same ones, CurlTransport(CurlConfiguration(tls: …))")
        {
            return .unsent(.unsupported(unsupported))
        }
        if let unsupported = CurlLibrary.shared.refusal(of: plan.request) { return .unsent(.unsupported(unsupported)) }
        if let refusal = transfer.exchange.connection.destinations?.standingRefusal {
            return .unsent(refused(refusal, in: transfer))
        }
        do throws(BodyProblem) { try prepare(transfer, from: start) } catch {
            return .unsent(.body(BodyFailure(error, record: unsent)))
        }
        return nil
    }

    /// A call that has sent nothing has no exchange. After another exchange, the time since then is that of one more.
    private mutating func overdue(_ limit: Timeouts.Limit) -> HTTPError {
        if plan.attempts > 0 { plan.begin(after: start.duration(to: startOfExchange)) }
        return timeout(limit, unsent)
    }

    /// It waits no longer for the connection of another call, and has the time for one of its own.
    mutating func restartConnecting(in transfer: CurlTransfer, at now: TimePoint) {
        deadlines.restartConnecting(plan.request.timeouts, at: now)
        let isConnecting = transfer.exchange.connection.wasOpened
        transfer.requestOptions.stopWaiting(isConnecting: isConnecting, on: transfer.handle)
    }

    private mutating func prepare(_ transfer: CurlTransfer, from start: TimePoint) throws(BodyProblem) {
        let body: PreparedBody =
            if let unread = unread.takeUnread() {
                .stream(unread)
            } else {
                // One that the server may refuse is supplied in pieces, so that none need be.
                try PreparedBody(
                    plan.request, inlineLimit: plan.request.continueWait == nil ? CurlRequestOptions.inlineBody : 0)
            }
        transfer.clearErrorMessage()
        transfer.receive(headOf: plan.request.limits.headerBytes)
        let options = transfer.requestOptions.apply(
            plan, body: body, after: transfer.exchange.hasForbiddenReuse, to: transfer.handle)
        transfer.exchange.begin(plan.request, options, at: start, observer: plan.observer)
    }

    /// Takes the outcome of the exchange, which ended at `now`. Nil when another exchange follows. `makeRoom` closes idle
    /// connections when there is no descriptor for another; it returns whether there is one now. Inlined, because the
    /// result is large and would be moved three times more.
    @inline(__always)
    mutating func finish(
        _ ending: TransferResult, in transfer: CurlTransfer, at now: TimePoint, makeRoom: () -> Bool
    ) -> Result<Response, HTTPError>? {
        defer { transfer.exchange.clear() }
        end = now
        var outcome = outcome(of: ending, in: transfer)
        if case .failed(.connection(let failure), _) = outcome, failure.reason == .outOfDescriptors, !plan.isSecondTry,
            !transfer.exchange.isConnected, makeRoom()
        {
            // Nothing was sent.
            outcome = .unfit
        }
        if case .unfit = outcome { unread = transfer.exchange.upload }
        // The sink has finished, which may have taken time.
        let end = transfer.exchange.body.receiver.hasSink ? TimePoint.now : now
        self.end = end
        transfer.releaseRequest()
        let start = start
        switch plan.advance(after: outcome, record: { transfer.record($0, since: start, to: end, phase: .receiving) }) {
        case .send: return nil
        case .fail(let error): return .failure(error)
        case .deliver: return response(in: transfer, at: end)
        }
    }
}

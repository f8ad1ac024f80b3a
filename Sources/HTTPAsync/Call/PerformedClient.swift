import HTTPCore

/// The client of `perform`. If the work names no host, each call counts at its own host while it lasts.
struct PerformedClient: TransparentClient {
    let next: any HTTPClient
    let pool: WorkerPool

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        // A call within this one, made by an interceptor for example, is part of it.
        guard let worker = pool.caller, !worker.namesHost, worker.pass == nil else {
            return next.executeRequest(request)
        }
        let deadline = clock.isSystem ? request.timeouts.deadline(from: .now) : nil
        let start = TimePoint.now
        let (pass, ending) = HostPass.request(to: CallHost(request.origin), in: pool, until: deadline)
        worker.pass = pass
        // It may have been abandoned.
        defer { worker.pass.take().map(pool.returnPass) }
        guard ending != .granted else { return next.executeRequest(request) }
        let wait = start.duration(to: .now)
        return outcome(of: request, after: ending, within: deadline).insertingWait(wait, .hostLimit)
    }

    @available(*, noasync)
    private func outcome(
        of request: Request, after ending: HostPass.Ending, within deadline: CallDeadline?
    ) -> Result<Response, HTTPError> {
        switch ending {
        case .granted, .grantedLate:
            return deadline?.run { next.executeRequest(request) } ?? next.executeRequest(request)
        case .cancelled: return .failure(.cancelled(CallRecord(request, phase: .queued)))
        case .late:
            let blockedBy = "as many calls to this host as Dispatcher.Configuration.runningPerHost allows are under way"
            return .failure(
                .timedOut(
                    TimeoutFailure(
                        .total, after: deadline?.allowance ?? .zero, record: CallRecord(request, phase: .queued),
                        blockedBy: blockedBy)))
        }
    }
}

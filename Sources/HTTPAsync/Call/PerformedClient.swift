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
        // An earlier call of the work may have waited.
        _ = worker.unpause()
        let deadline = clock.isSystem ? request.timeouts.deadline(from: .now) : nil
        let wait = HostPass.request(to: CallHost(request.origin), in: pool, until: deadline?.point)
        worker.pass = wait.pass
        // It may have been given up.
        defer { if let pass = worker.pass.take() { pool.returnPass(pass) } }
        switch wait.ending {
        case .granted: return next.executeRequest(request)
        case .grantedLate:
            let outcome = deadline?.run { next.executeRequest(request) } ?? next.executeRequest(request)
            return outcome.insertingWait(wait.duration, .hostLimit)
        case .cancelled, .late: return .failure(wait.error(of: request, within: deadline))
        }
    }
}

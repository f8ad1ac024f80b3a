import HTTPSupport

/// A client behind a suspending closure.
struct SuspendingClient: ClockedClient, WrappingClient {
    let intercept: @Sendable (_ request: Request, _ next: any HTTPClient) async throws -> Response
    let next: any HTTPClient

    var clock: CallClock { next.callClock }
    var answersItself: Bool { next.isOffline }
    var wrapped: any HTTPClient { next }
    var mayChangeRequests: Bool { true }

    /// The response, or the error of the closure as an `HTTPError`.
    func response(to request: Request) async -> Result<Response, HTTPError> {
        do { return Result.success(try await intercept(request, next)).delivered(to: request) } catch {
            return .failure(InterceptorFailure.named(error, from: .interceptor, CallRecord(request)))
        }
    }

    /// The record of a call that ends before the closure does. How far an exchange in it is, only the closure will know.
    func record(_ request: Request, since start: TimePoint?) -> CallRecord {
        var metrics = Metrics()
        if let start { metrics.total = start.duration(to: clock.now()) }
        return CallRecord(request, phase: .other, metrics: metrics)
    }

    /// On the thread of the call, which blocks until the closure returns.
    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        // Its calls have slots of their own. Without a worker this is a thread of the caller.
        guard let holder = ThreadRole.holder else { return block(request) }
        return holder.wait { block(request) } ?? .failure(holder.refusal(of: request, .queued))
    }

    private func block(_ request: Request) -> Result<Response, HTTPError> {
        let start = clock.now()
        let place = Locked<Result<Response, HTTPError>?>(nil)
        let signal = Signal()
        let deadline = clock.isSystem ? request.timeouts.deadline(from: .now) : .current
        let task = Task(executorPreference: ThreadSystem.current?.taskExecutor) {
            let outcome = await CallDeadline.$current.withValue(deadline) { await response(to: request) }
            place.withLock { $0 = outcome }
            signal.fire()
        }
        let ending = CallClock.system.wait(for: signal, until: clock.isSystem ? deadline?.point : nil)
        if let outcome = place.withLock({ $0 }) { return outcome }
        task.cancel()
        let record = record(request, since: start)
        return .failure(ending == .cancelled ? .cancelled(record) : .timedOut(deadline, record))
    }
}

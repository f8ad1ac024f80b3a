import HTTPCore

// The one place where calls are made out of work.
extension Dispatcher {
    // Neither of them is made part of the task's function: what they need for a moment would lie there as long as the call
    // takes.

    @inline(never) func call(_ client: any HTTPClient, _ request: Request) -> Call<RequestWork> {
        let own = request.timeouts.total.map { CallDeadline($0, from: TimePoint.now) }
        let outer = CallDeadline.current
        return Call(
            RequestWork(client: client, request: request), deadline: .earlier(own, outer), keepsDeadline: outer == nil)
    }

    @inline(never) func call<Value>(
        host: String?, timeout: Duration?, _ body: @escaping @Sendable () -> Result<Value, HTTPError>
    ) -> Call<ClosureWork<Value>> {
        let deadline = CallDeadline.earlier(timeout.map { CallDeadline($0, from: TimePoint.now) }, .current)
        return Call(ClosureWork(hostName: host?.lowercased(), body: body), deadline: deadline, keepsDeadline: false)
    }

    /// Submits `call`, to end with `token`, and has `completion` told.
    @discardableResult
    func start<Work>(
        _ call: Call<Work>, priority: Priority, token: CancellationToken? = .current,
        _ completion: Completion<Work.Value>
    ) -> DispatchedCall {
        call.setCompletion(completion)
        call.follow(token, in: pool)
        pool.submit(call, priority: priority)
        return DispatchedCall(pool: pool, call: call)
    }

    /// Submits `call` and waits without holding a thread until it has its outcome.
    func run<Work>(
        _ call: Call<Work>, priority: Priority?, isolation: isolated (any Actor)?
    ) async {
        let priority = priority ?? Priority(Task.currentPriority)
        call.follow(.current, in: pool)
        // The handler may come before the submission, during it and after the outcome; the pool sorts that out.
        await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: isolation) { continuation in
                    call.setCompletion(.task(continuation))
                    pool.submit(call, priority: priority)
                }
            }, onCancel: { pool.cancel(call) }, isolation: isolation)
    }
}

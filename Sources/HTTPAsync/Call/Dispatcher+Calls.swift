import HTTPCore

// The one place where work becomes calls.
extension Dispatcher {
    // These functions are not inlined: their temporaries would stay in the task's frame until the call ends.

    @inline(never) func call(_ client: any HTTPClient, _ request: Request) -> Call<RequestWork> {
        let own = request.timeouts.total.map { CallDeadline($0, from: TimePoint.now) }
        // The type is compared first: a failed cast takes longer than all of this.
        let detached = type(of: client) == DetachedClient.self ? client as? DetachedClient : nil
        let client = detached?.next ?? client
        let outer = detached == nil ? CallDeadline.current : nil
        return Call(
            RequestWork(request, client, driver: driver(for: client)), in: pool,
            deadline: .earlier(own, outer), keepsDeadline: outer == nil, isDetached: detached != nil)
    }

    @inline(never) func call<Value>(
        _ client: any HTTPClient, host: String?, timeout: Duration?,
        _ work: @escaping @Sendable (any HTTPClient) -> Result<Value, HTTPError>
    ) -> Call<ClosureWork<Value>> {
        call(host: host, timeout: timeout, isDetached: client is DetachedClient) { [pool] in
            work(host == nil ? PerformedClient(next: client, pool: pool) : client)
        }
    }

    @inline(never) func call<Value>(
        host: String?, timeout: Duration?, isDetached: Bool = false,
        _ body: @escaping @Sendable () -> Result<Value, HTTPError>
    ) -> Call<ClosureWork<Value>> {
        let own = timeout.map { CallDeadline($0, from: TimePoint.now) }
        return Call(
            ClosureWork(hostName: host?.lowercased(), body: body), in: pool,
            deadline: isDetached ? own : .earlier(own, .current), keepsDeadline: false, isDetached: isDetached)
    }

    /// Submits `call`, to end with `token` and report to `completion`.
    @discardableResult
    func start<Work>(
        _ call: Call<Work>, priority: Priority, token: CancellationToken? = .current,
        _ completion: Completion<Work.Value>
    ) -> DispatchedCall {
        call.setCompletion(completion)
        let isOthers = call.isDetached && token === CancellationToken.current
        call.follow(isOthers ? nil : token)
        submit(call, priority)
        return DispatchedCall(pool: pool, call: call)
    }

    /// Submits `call` and suspends until it has its outcome.
    func run<Work>(
        _ call: Call<Work>, priority: Priority?, isolation: isolated (any Actor)?
    ) async {
        // The handler may run before the submission and after the outcome; the pool handles both.
        await withTaskCancellationHandler(
            operation: { await withUnsafeContinuation(isolation: isolation) { begin(call, for: $0, priority) } },
            onCancel: { if !call.isDetached { pool.cancel(call) } }, isolation: isolation)
    }

    @inline(never) private func begin<Work>(
        _ call: Call<Work>, for task: UnsafeContinuation<Void, Never>, _ priority: Priority?
    ) {
        call.setCompletion(.task(task))
        call.follow(call.isDetached ? nil : .current)
        submit(call, priority ?? Priority(Task.currentPriority))
    }

    /// A detached call inherits nothing from the code that submits it.
    @inline(never) private func submit<Work>(_ call: Call<Work>, _ priority: Priority) {
        guard call.isDetached else { return pool.submit(call, priority: priority) }
        DetachedClient.run { pool.submit(call, priority: priority) }
    }
}

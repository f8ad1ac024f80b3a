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
        let work = RequestWork(request, client, driver: driver(for: client))
        return Call(
            work, in: pool(for: work), deadline: .earlier(own, outer), keepsDeadline: outer == nil,
            isDetached: detached != nil)
    }

    /// The pool whose slots such work takes. Only work that needs a thread is asked for its client: a cast takes time.
    func pool(for work: RequestWork) -> WorkerPool {
        work.driver == nil && work.agent == nil ? serving(work.client).pool : pool
    }

    /// A call of several exchanges, or with more than memory holds, for `draft`: its timeout counts from here.
    @inline(never) func transfer<Value>(
        _ client: any HTTPClient, _ draft: MutableRequest, atHost isAtHost: Bool = true,
        _ work: @escaping @Sendable (any HTTPClient) throws(HTTPError) -> Value
    ) -> Call<ClosureWork<Value>> {
        // Nil for a draft that cannot be built; the work itself reports that.
        let request = try? Request(draft)
        // Its own deadline applies to a detached call, too, which would not see it.
        let detached = client as? DetachedClient
        return serving(client).call(
            host: isAtHost ? request?.origin.authority : nil, timeout: draft.timeouts.chosen, for: request,
            isDetached: detached != nil
        ) { Result { () throws(HTTPError) in try work(detached?.next ?? client) } }
    }

    @inline(never) func call<Value>(
        host: String?, timeout: Duration?, for request: Request? = nil, isDetached: Bool = false,
        _ body: @escaping @Sendable () -> Result<Value, HTTPError>
    ) -> Call<ClosureWork<Value>> {
        let own = timeout.map { CallDeadline($0, from: TimePoint.now) }
        return Call(
            ClosureWork(hostName: host?.lowercased(), request: request, body: body), in: pool,
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
        return DispatchedCall(pool: call.pool, call: call)
    }

    /// Submits `call` and suspends until it has its outcome.
    func run<Work>(
        _ call: Call<Work>, priority: Priority?, isolation: isolated (any Actor)?
    ) async {
        guard priority == nil, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return await wait(for: call, priority: priority, isolation: isolation)
        }
        await withTaskPriorityEscalationHandler(
            operation: { await wait(for: call, priority: nil, isolation: isolation) },
            onPriorityEscalated: { call.pool.raise(call, to: Priority($1)) })
    }

    private func wait<Work>(
        for call: Call<Work>, priority: Priority?, isolation: isolated (any Actor)?
    ) async {
        // The handler may run before the submission and after the outcome; the pool handles both.
        await withTaskCancellationHandler(
            operation: { await withUnsafeContinuation(isolation: isolation) { begin(call, for: $0, priority) } },
            onCancel: { if !call.isDetached { call.pool.cancel(call) } }, isolation: isolation)
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
        guard call.isDetached else { return call.pool.submit(call, priority: priority) }
        DetachedClient.run { call.pool.submit(call, priority: priority) }
    }
}

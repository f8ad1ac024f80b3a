import HTTPSupport

// The one place where work becomes calls.
extension Dispatcher {
    // These functions are not inlined: their temporaries would stay in the task's frame until the call ends.

    @inline(never) func call(
        _ client: any HTTPClient, _ request: Request, to completion: Completion<Response>? = nil
    ) -> AwaitedCall<RequestWork> {
        let own = request.timeouts.ownDeadline(from: .now)
        // The type is compared first: a failed cast takes longer than all of this.
        let detached = type(of: client) == DetachedClient.self ? client as? DetachedClient : nil
        let client = detached?.next ?? client
        let outer = detached == nil ? CallDeadline.current : nil
        let work = RequestWork(request, client, engine: client as? any EventLoopClient, on: self)
        let settlement = Settlement(completion)
        let job = Job(
            work, in: pool(for: work), deadline: .earlier(own, outer),
            keepsDeadline: outer == nil && request.destination.reader == nil,
            isDetached: detached != nil, for: .caller(settlement))
        return AwaitedCall(job: job, settlement: settlement)
    }

    /// One exchange of a call with policies, for their driver.
    func exchange(
        _ request: Request, below policies: PolicyClient, within deadline: CallDeadline?,
        for driver: any ExchangeReceiver<Response>
    ) -> Job<RequestWork> {
        let own = deadline ?? request.timeouts.ownDeadline(from: .now)
        let work = RequestWork(request, policies.base, engine: policies.engine, on: self)
        return Job(
            work, in: pool(for: work), deadline: own,
            keepsDeadline: deadline == nil && request.destination.reader == nil, for: .driver(driver))
    }

    /// The pool whose slots such work takes. Only work that needs a thread is asked for its client: a cast takes time.
    private func pool(for work: RequestWork) -> WorkerPool {
        work.driver == nil && work.agent == nil ? serving(work.client).pool : pool
    }

    /// A call of several exchanges, or with more than memory holds, for `draft`: its timeout counts from here.
    @inline(never) func transfer<Value>(
        _ client: any HTTPClient, _ draft: MutableRequest, atHost isAtHost: Bool = true,
        to completion: Completion<Value>? = nil, _ work: @escaping @Sendable (any HTTPClient) throws(HTTPError) -> Value
    ) -> AwaitedCall<ClosureWork<Value>> {
        // Nil for a draft that cannot be built; the work itself reports that.
        let request = try? Request(draft)
        // Its own deadline applies to a detached call, too, which would not see it.
        let detached = client as? DetachedClient
        return serving(client).call(
            host: isAtHost ? request?.origin.authority : nil, timeout: draft.timeouts.chosen, for: request,
            isDetached: detached != nil, to: completion
        ) { Result { () throws(HTTPError) in try work(detached?.next ?? client) } }
    }

    @inline(never) func call<Value>(
        host: String?, timeout: Duration?, for request: Request? = nil, isDetached: Bool = false,
        to completion: Completion<Value>? = nil, _ body: @escaping @Sendable () -> Result<Value, HTTPError>
    ) -> AwaitedCall<ClosureWork<Value>> {
        let timeouts = timeout.map { Timeouts(total: $0) }
        let own = request == nil ? timeout.map { CallDeadline($0) } : timeouts?.ownDeadline(from: .now)
        let settlement = Settlement(completion)
        let job = Job(
            ClosureWork(hostName: host?.lowercased(), request: request, body: CallerValues.around(body)), in: pool,
            deadline: isDetached ? own : .earlier(own, .current), keepsDeadline: false, isDetached: isDetached,
            for: .caller(settlement))
        return AwaitedCall(job: job, settlement: settlement)
    }

    /// Submits `call`, to end with `token`.
    @discardableResult
    func start<Work>(_ call: AwaitedCall<Work>, priority: Priority, token: CancellationToken? = .current)
        -> DispatchedCall
    {
        submit(call, priority, token)
        return DispatchedCall(pool: call.job.pool, call: call.job)
    }

    /// Submits `call` and suspends until it has its outcome.
    func run<Work>(_ call: AwaitedCall<Work>, priority: Priority?, isolation: isolated (any Actor)?) async {
        guard priority == nil, #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) else {
            return await wait(for: call, priority: priority, isolation: isolation)
        }
        await withTaskPriorityEscalationHandler(
            operation: { await wait(for: call, priority: nil, isolation: isolation) },
            onPriorityEscalated: { [job = call.job] in job.pool.raise(job, to: Priority($1)) })
    }

    private func wait<Work>(for call: AwaitedCall<Work>, priority: Priority?, isolation: isolated (any Actor)?) async {
        // The handler may run before the submission and after the outcome; the pool handles both.
        await withTaskCancellationHandler(
            operation: { await withUnsafeContinuation(isolation: isolation) { begin(call, for: $0, priority) } },
            onCancel: { [job = call.job] in if !job.isDetached { job.pool.cancel(job) } }, isolation: isolation)
    }

    @inline(never) private func begin<Work>(
        _ call: AwaitedCall<Work>, for task: UnsafeContinuation<Void, Never>, _ priority: Priority?
    ) {
        call.settlement.resume(task)
        submit(call, priority ?? Priority(Task.currentPriority), .current)
    }

    /// A detached call inherits nothing from the code that submits it.
    @inline(never) private func submit<Work>(
        _ call: AwaitedCall<Work>, _ priority: Priority, _ token: CancellationToken?
    ) {
        let job = call.job
        if let token, !(job.isDetached && token === CancellationToken.current) {
            call.settlement.follow(token) { job.pool.cancel(job) }
        }
        guard job.isDetached else { return job.pool.submit(job, priority: priority) }
        DetachedClient.run { job.pool.submit(job, priority: priority) }
    }
}

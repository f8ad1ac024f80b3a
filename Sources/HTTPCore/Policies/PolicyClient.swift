/// A client with policies: the blocking driver. It sends, waits and works on the thread of the call.
package struct PolicyClient: BatchingClient, ClockedClient, WrappingClient {
    /// One object, so that a call counts one reference: threads that count many shared ones slow each other down.
    private let stack: Stack

    private final class Stack: Sendable {
        let policies: [any CallPolicy]
        let base: any HTTPClient
        let clock: CallClock
        let hasPreparations: Bool
        /// The places of policies that must know what those below do to requests.
        let placed: [Int]

        init(_ policies: [any CallPolicy], _ base: any HTTPClient, _ clock: CallClock) {
            (self.policies, self.base, self.clock) = (policies, base, clock)
            hasPreparations = policies.contains { $0 is any PreparedPolicy }
            let last = policies.lastIndex { ($0 as? any ForeseeablePolicy)?.changesRequests ?? true } ?? 0
            placed = policies.indices.filter { $0 < last && policies[$0] is any PlacedPolicy }
        }
    }

    /// Outermost first; at least one.
    package var policies: [any CallPolicy] { stack.policies }
    package var base: any HTTPClient { stack.base }
    package var clock: CallClock { stack.clock }
    package var answersItself: Bool { base.isOffline }
    package var wrapped: any HTTPClient { stack.base }
    package var mayChangeRequests: Bool { false }
    /// Whether `clock` is the system's. Each call asks, so the clock is not copied.
    package var isOnSystemClock: Bool { stack.clock.isSystem }

    /// Adjacent policies form one stack, no matter when they were added.
    init(_ policy: any CallPolicy, around client: any HTTPClient) {
        let inner = (client as? PolicyClient)?.stack
        let base = inner?.base ?? client
        var policy = policy
        if var placed = policy as? any PlacedPolicy {
            placed.place(above: client)
            policy = placed
        }
        stack = Stack([policy] + (inner?.policies ?? []), base, base.callClock)
    }

    /// The same client with other policies around it.
    package init(_ policies: [any CallPolicy], in client: PolicyClient) {
        stack = Stack(policies, client.base, client.clock)
    }

    /// The policies for a call that starts here and now.
    package func preparedPolicies() -> [any CallPolicy] {
        guard stack.hasPreparations || !stack.placed.isEmpty else { return stack.policies }
        var policies = stack.policies.map { policy -> any CallPolicy in
            guard var prepared = policy as? any PreparedPolicy else { return policy }
            prepared.prepare()
            return prepared
        }
        for place in stack.placed {
            guard var placed = policies[place] as? any PlacedPolicy else { continue }
            placed.prepare(above: Array(policies[(place + 1)...]))
            policies[place] = placed
        }
        return policies
    }

    @available(*, noasync)
    package func execute(_ batch: RequestBatch) {
        // A loop waits by the system's clock alone.
        guard isOnSystemClock, let engine = base as? any EventLoopClient else {
            return batch.execute(oneByOneOver: self)
        }
        engine.execute(PolicyBatch(batch, through: self))
    }

    @available(*, noasync)
    package func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let call = BlockingPolicyCall(clock)
        var run = PolicyRun(preparedPolicies(), call)
        var effect = run.start(request)
        while true {
            switch effect {
            case .send(let request, let deadline): effect = run.answer(send(request, deadline))
            case .wait(let wait):
                effect = step(after: wait, call, &run)
            case .run(let work):
                work()
                effect = run.resume()
            // Only for drivers that say they can.
            case .sendInBackground: effect = run.resume()
            case .finish(let outcome): return outcome
            }
        }
    }

    @available(*, noasync)
    private func send(_ request: Request, _ deadline: CallDeadline?) -> Result<Response, HTTPError> {
        guard let holder = ThreadRole.holder else { return sendNow(request, deadline) }
        return holder.send(request, within: deadline) { sendNow(request, deadline) }
    }

    @available(*, noasync)
    private func sendNow(_ request: Request, _ deadline: CallDeadline?) -> Result<Response, HTTPError> {
        guard let deadline else { return base.executeRequest(request) }
        return deadline.run { base.executeRequest(request) }
    }

    private func step(after wait: PolicyWait, _ call: BlockingPolicyCall, _ run: inout PolicyRun) -> PolicyRun.Effect {
        // In simulated time a wait for a time takes none.
        guard !clock.isSimulated || wait.end == nil, let holder = ThreadRole.holder else {
            return call.wait(wait) == .cancelled ? run.interrupt() : run.resume()
        }
        guard holder.beginWait() else { return run.interrupt { holder.refusal(of: $0.request, $1) } }
        let ending = call.wait(wait)
        holder.endWait()
        return ending == .cancelled ? run.interrupt() : run.resume()
    }
}

/// A blocking call, and how its thread is woken.
private final class BlockingPolicyCall: PolicyCall {
    private struct Waits {
        /// The layers that were woken and have not waited since, a bit each; of more than 64 some share one.
        var woken: UInt64 = 0
        /// The signal that the thread waits for, and the layer.
        var sleeper: (signal: Signal, layer: UInt64)?
    }

    let clock: CallClock
    /// Created on first use: most calls neither wait nor are woken.
    private let waits = LazyLocked<Waits>()

    init(_ clock: CallClock) { self.clock = clock }

    var isCancelled: Bool { CancellationToken.current?.isCancelled ?? false }

    func wake(_ layer: Int) {
        let signal = waits.make(Waits()).withLock { waits in
            waits.woken |= 1 << (UInt64(layer) & 63)
            return waits.sleeper.flatMap { $0.layer & waits.woken != 0 ? $0.signal : nil }
        }
        signal?.fire()
    }

    /// Blocks until the time has come, the layer is woken or the call cancelled.
    func wait(_ wait: PolicyWait) -> CallClock.WaitEnding {
        let bit: UInt64 = 1 << (UInt64(wait.layer) & 63)
        let waits = waits.make(Waits())
        let signal = Signal()
        let isWoken = waits.withLock { waits in
            waits.sleeper = (signal, bit)
            return waits.woken & bit != 0
        }
        defer {
            waits.withLock { waits in
                waits.sleeper = nil
                waits.woken &= ~bit
            }
        }
        if isWoken { signal.fire() }
        return clock.wait(for: signal, until: wait.end, within: wait.deadline)
    }
}

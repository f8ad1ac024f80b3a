package struct PolicyClient: BatchingClient, ClockedClient, WrappingClient {
    /// One object, so that a call counts one reference: threads that count many shared ones slow each other down.
    private let stack: Stack

    private final class Stack: Sendable {
        let policies: [any CallPolicy]
        let base: any HTTPClient
        let engine: (any EventLoopClient)?
        let clock: CallClock
        /// The places of policies that prepare each call: a cast that fails takes a thousand instructions.
        let prepared: [Int]
        /// The places of policies that must know what those below do to requests.
        let placed: [Int]

        init(_ policies: [any CallPolicy], _ base: any HTTPClient, _ clock: CallClock) {
            (self.policies, self.base, self.clock) = (policies, base, clock)
            engine = base as? any EventLoopClient
            prepared = policies.indices.filter { policies[$0] is any PreparedPolicy }
            let last = policies.lastIndex { ($0 as? any ForeseeablePolicy)?.changesRequests ?? true } ?? 0
            placed = policies.indices.filter { $0 < last && policies[$0] is any PlacedPolicy }
        }
    }

    /// Outermost first; at least one.
    package var policies: [any CallPolicy] { stack.policies }
    package var base: any HTTPClient { stack.base }
    /// `base`, if it has event loops. A cast takes time.
    package var engine: (any EventLoopClient)? { stack.engine }
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
        var policies = stack.policies
        for place in stack.prepared {
            guard var prepared = policies[place] as? any PreparedPolicy else { continue }
            prepared.prepare()
            policies[place] = prepared
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
        guard isOnSystemClock, let engine else {
            return batch.execute(oneByOneOver: self)
        }
        engine.execute(PolicyBatch(batch, through: self))
    }

    @available(*, noasync)
    package func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        executeRequest(request, through: preparedPolicies())
    }

    /// `policies`: those of this client, prepared for this call.
    @available(*, noasync)
    package func executeRequest(
        _ request: Request, through policies: [any CallPolicy]
    ) -> Result<Response, HTTPError> {
        BlockingPolicyCall(clock).execute(request, policies, over: base)
    }
}

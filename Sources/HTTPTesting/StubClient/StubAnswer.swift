public import HTTPCore

/// What a route of a `StubClient` answers: one thing always, or several in a row.
///
///     .json(user)                                       always
///     .status(503).times(2).then(.json(user))           two refusals first
///     .sequence([.text("a"), .text("b")], after: .cycle)
///     .failure(.connectionRefused).then(.json(user))
///     .json(user).taking(.seconds(2))                   in simulated time
///
/// An immutable value; the count of what was given is the stub's.
public struct StubAnswer: Sendable {
    /// What comes behind the last answer of a sequence.
    public enum Ending: Sendable, Hashable {
        /// The last one again.
        case last
        /// None: the route answers no more, and the next one that takes the request does.
        case fail
        /// The first one again.
        case cycle
    }

    /// Makes an answer to a request. It runs on the thread that makes the call, on several at once if several call. An
    /// `HTTPError` that it throws is the call's failure; any other error is the test's, which `verify()` reports.
    public typealias Maker = @Sendable (StubbedRequest) throws -> StubAnswer

    struct Step: Sendable {
        enum Content: Sendable {
            case response(StubResponse)
            case failure(StubFailure)
            case made(Maker)
            /// An answer that could not be made, and why.
            case broken(String)
        }

        var content: Content
        var latencies: [StubLatency] = []
        var gate: StubGate?
        /// Not before the call is cancelled or its time is over.
        var isPending = false
    }

    var steps: [Step]
    var ending = Ending.last
    var mayStayUnused = false

    init(_ content: Step.Content) { steps = [Step(content: content)] }

    private init(steps: [Step], ending: Ending, mayStayUnused: Bool) {
        self.steps = steps
        self.ending = ending
        self.mayStayUnused = mayStayUnused
    }

    /// Which step answers what is asked for the `index`th time, counted from 0; nil for none any more.
    func step(at index: Int) -> Step? {
        guard index >= steps.count else { return steps[index] }
        switch ending {
        case .last: return steps.last
        case .fail: return nil
        case .cycle: return steps.isEmpty ? nil : steps[index % steps.count]
        }
    }
}

/// Several in a row. Each call takes one, exactly once, however many threads call at the same time.
extension StubAnswer {
    /// One after the other. Those that are sequences themselves are taken apart.
    public static func sequence(_ answers: [StubAnswer], after ending: Ending = .last) -> StubAnswer {
        StubAnswer(
            steps: answers.flatMap(\.steps), ending: ending, mayStayUnused: answers.contains(where: \.mayStayUnused))
    }

    /// This, and then `next`.
    public func then(_ next: StubAnswer) -> StubAnswer {
        StubAnswer(
            steps: steps + next.steps, ending: next.ending, mayStayUnused: mayStayUnused || next.mayStayUnused)
    }

    /// This so many times, and then no more, unless something follows by `then`. With 0 the route must not be used.
    public func times(_ count: Int) -> StubAnswer {
        StubAnswer(
            steps: Array(repeating: steps, count: max(count, 0)).flatMap(\.self), ending: .fail,
            mayStayUnused: mayStayUnused)
    }

    /// Once, and then no more.
    public func once() -> StubAnswer { times(1) }

    /// Fine for `verify()` also where it was not asked for, or not as often as it could be.
    public func optional() -> StubAnswer {
        var copy = self
        copy.mayStayUnused = true
        return copy
    }
}

/// The time it takes, and when it goes on.
extension StubAnswer {
    /// With this much simulated time spent in `phase`: by default between the request and the first byte of the answer,
    /// in which nothing moves. Where the request grants less (`connectTimeout` up to the TLS handshake, `idleTimeout`
    /// from then on, `timeout` for all, and the deadline around the call), the call fails with `.timedOut`, as over a
    /// transport.
    public func taking(_ duration: Duration, in phase: CallPhase = .waiting) -> StubAnswer {
        changingSteps { $0.latencies.append(StubLatency(phase: phase, duration: duration)) }
    }

    /// Not before the test releases `gate`.
    public func held(by gate: StubGate) -> StubAnswer { changingSteps { $0.gate = gate } }

    private func changingSteps(_ change: (inout Step) -> Void) -> StubAnswer {
        var copy = self
        for index in copy.steps.indices { change(&copy.steps[index]) }
        return copy
    }

    /// With this done to what was answered, where it is a response.
    func changingResponses(_ change: @escaping @Sendable (inout StubResponse) -> Void) -> StubAnswer {
        changingSteps { step in
            switch step.content {
            case .response(var response):
                change(&response)
                step.content = .response(response)
            case .made(let make): step.content = .made { try make($0).changingResponses(change) }
            case .failure, .broken: break
            }
        }
    }
}

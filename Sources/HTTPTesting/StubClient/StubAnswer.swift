/// The answer of a route of a `StubClient`: a constant, or a sequence.
///
///     .json(user)                                       always
///     .status(503).times(2).then(.json(user))           two errors first
///     .sequence([.text("a"), .text("b")], after: .cycle)
///     .failure(.connection(.refused)).then(.json(user))
///     .json(user).taking(.seconds(2))                   in simulated time
///
/// An immutable value; the stub counts the answers given.
public struct StubAnswer: Sendable {
    /// What follows the last answer of a sequence.
    public enum Ending: Sendable, Hashable {
        /// The last one again.
        case last
        /// None: the route is exhausted, and the next matching route answers.
        case passOn
        /// The first one again.
        case cycle
    }

    /// Makes an answer to a request. It runs on the thread that makes the call, concurrently for concurrent calls. An
    /// `HTTPError` that it throws is the call's failure; any other error is the test's, which `verify()` reports.
    public typealias Maker = @Sendable (StubbedRequest) throws -> StubAnswer

    struct Step: Sendable {
        enum Content: Sendable {
            case response(StubResponse)
            case failure(StubFailure)
            case made(Maker)
            /// An answer that could not be made, with the reason.
            case broken(String)
        }

        var content: Content
        var latencies: [StubLatency] = []
        var gate: StubGate?
        /// Whether there is no answer before the call is cancelled or times out.
        var isPending = false
    }

    var steps: StubSteps
    var ending = Ending.last
    var mayStayUnused = false

    /// The step for the `index`th request, counted from 0; nil if exhausted.
    func step(at index: Int) -> Step? {
        guard index >= steps.count else { return steps[index] }
        switch ending {
        case .last: return steps.last
        case .passOn: return nil
        case .cycle: return steps.count > 0 ? steps[index % steps.count] : nil
        }
    }

    /// Why a closure must not make it; nil if it may. Each request is answered by what was made for it alone.
    var defectAsMade: String? {
        steps.count > 1 ? "its closure made a sequence, of which every request would get the first answer" : nil
    }
}

/// Sequences. Each call takes one answer, and each answer is taken once, even by concurrent calls.
extension StubAnswer {
    /// One after the other. Nested sequences are flattened.
    public static func sequence(_ answers: [StubAnswer], after ending: Ending = .last) -> StubAnswer {
        StubAnswer(
            steps: answers.reduce(into: StubSteps()) { $0.append($1.steps) }, ending: ending,
            mayStayUnused: answers.contains(where: \.mayStayUnused))
    }

    /// This answer, followed by `next`.
    public func then(_ next: StubAnswer) -> StubAnswer { .sequence([self, next], after: next.ending) }

    /// This answer that many times. The route is then exhausted, unless `then` follows. With 0 the route must not be
    /// used.
    public func times(_ count: Int) -> StubAnswer {
        StubAnswer(steps: steps.times(count), ending: .passOn, mayStayUnused: mayStayUnused)
    }

    /// `verify()` accepts the answer even if it is not used, or not completely.
    public func optional() -> StubAnswer {
        var copy = self
        copy.mayStayUnused = true
        return copy
    }
}

/// The duration of an answer.
extension StubAnswer {
    /// With this much simulated time spent in `phase`: by default between the request and the first byte of the
    /// response. If the request allows less (`connectTimeout` up to the TLS handshake, `idleTimeout` from then on,
    /// `timeout` in total, and the ambient deadline), the call fails with `.timedOut`, as with a transport.
    public func taking(_ duration: Duration, in phase: CallActivity = .waiting) -> StubAnswer {
        changingSteps { $0.latencies.append(StubLatency(phase: phase, duration: duration)) }
    }

    /// Held until the test releases `gate`.
    public func held(by gate: StubGate) -> StubAnswer { changingSteps { $0.gate = gate } }

    func changingSteps(_ change: (inout Step) -> Void) -> StubAnswer {
        var copy = self
        copy.steps = steps.map(change)
        return copy
    }

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

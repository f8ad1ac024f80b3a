/// The script of a stub. It never changes.
struct StubScript: Sendable {
    /// The treatment of a request that no route answers.
    enum Fallback: Sendable {
        case notFound
        case fail
        case pass(any HTTPClient)
    }

    private(set) var routes: [CompiledRoute] = []
    var base: String?
    var fallback = Fallback.notFound
    /// Nil for a clock of the stub's own.
    var time: SimulatedTime?

    func adding(_ routes: [StubRoute]) -> StubScript {
        var copy = self
        copy.routes += routes.map { CompiledRoute($0, base: base) }
        return copy
    }

    /// Whether no request goes on to a client that may need a network.
    var answersItself: Bool { if case .pass(let client) = fallback { client.isOffline } else { true } }

    func passing(to client: any HTTPClient) -> StubScript {
        var copy = self
        copy.fallback = .pass(client)
        return copy
    }
}

/// Finds the route of a request.
extension StubScript {
    /// A request and its answer.
    struct Match {
        let request: StubbedRequest
        let route: StubRoute
        let step: StubAnswer.Step

        enum Answer {
            case response(StubResponse)
            case failure(StubFailure)
            case unusable(String)
        }

        /// What the step comes to, or its closure, and the step with all delays.
        var answer: (Answer, step: StubAnswer.Step) {
            var step = step
            // A closure may make one that makes itself.
            for _ in 0..<16 {
                switch step.content {
                case .response(let response):
                    let defect = response.defect(answering: request.method)
                    return (defect.map { .unusable($0) } ?? .response(response), step)
                case .failure(let failure): return (.failure(failure), step)
                case .broken(let reason): return (.unusable(reason), step)
                case .made(let make):
                    let made: StubAnswer
                    do { made = try make(request) } catch {
                        if let error = error as? HTTPError { return (.failure(StubFailure { _ in error }), step) }
                        return (.unusable("its closure threw \(error)"), step)
                    }
                    if let defect = made.defectAsMade { return (.unusable(defect), step) }
                    guard var next = made.steps.first else { return (.unusable("its closure made no answer"), step) }
                    next.latencies += step.latencies
                    next.gate = next.gate ?? step.gate
                    step = next
                }
            }
            return (.unusable("its closure made no answer"), step)
        }
    }

    /// The first route that matches the request and has an answer left. Matchers run without a lock; only one caller
    /// can take an answer.
    func match(_ request: StubbedRequest, _ recorder: StubRecorder) -> Match? {
        for (index, route) in routes.enumerated() {
            guard let taken = route.taking(request) else { continue }
            guard let step = recorder.claim(route.route.answer, of: index) else { continue }
            return Match(request: taken, route: route.route, step: step)
        }
        return nil
    }

    /// The message for a request without an answer.
    func unmatched(_ request: StubbedRequest, _ recorder: StubRecorder) -> UnmatchedRequest {
        let given = recorder.given
        let differences = zip(routes, given).map { route, given in
            let isExhausted = route.route.answer.step(at: given) == nil
            return RouteDifference(request, route, exhausted: isExhausted ? given : nil)
        }
        return UnmatchedRequest(request, differences: differences)
    }
}

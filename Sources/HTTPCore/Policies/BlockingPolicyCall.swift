import HTTPSupport

/// The blocking driver, by any clock: it sends, waits and works on the thread of the call.
final class BlockingPolicyCall: PolicyCall {
    let clock: CallClock

    init(_ clock: CallClock) { self.clock = clock }

    var isCancelled: Bool { CancellationToken.current?.isCancelled ?? false }

    @available(*, noasync)
    func execute(
        _ request: Request, _ policies: [any CallPolicy], over base: any HTTPClient
    ) -> Result<Response, HTTPError> {
        var course = PolicyCourse(policies, self)
        var event = PolicyCourse.Event.started(request)
        while let effect = course.advance(on: consume event) {
            switch effect {
            case .send(let request, let deadline): event = .answered(send(request, deadline, over: base))
            case .wait(let wait): event = end(of: wait, course.number)
            case .run(let work, deadline: _):
                work.run()
                event = .done(course.number)
            // Policies ask only a driver that can (`canSendInBackground`); this one cannot.
            case .sendInBackground: event = .done(course.number)
            case .finish(let outcome): return outcome
            }
        }
        // Not reached: each event answers the effect before it, so the course ignores none.
        return .failure(.cancelled(CallRecord(unsent: request)))
    }

    @available(*, noasync)
    private func send(
        _ request: Request, _ deadline: CallDeadline?, over base: any HTTPClient
    ) -> Result<Response, HTTPError> {
        func send() -> Result<Response, HTTPError> { deadline.run { base.executeRequest(request) } }
        guard let holder = ThreadRole.holder else { return send() }
        return holder.send(request, within: deadline, send)
    }

    /// Blocks until there is one.
    private func end(of wait: PolicyWait, _ number: Int) -> PolicyCourse.Event {
        // Without a wait no slot is given up, and nothing can be refused.
        if isCancelled { return .cancelled }
        if wait.signal?.isFired == true { return .done(number) }
        // In simulated time a wait for a time takes none.
        guard let holder = ThreadRole.holder, !clock.isSimulated || wait.end == nil else { return block(wait, number) }
        return holder.wait { block(wait, number) } ?? .refused { holder.refusal(of: $0.request, $1) }
    }

    private func block(_ wait: PolicyWait, _ number: Int) -> PolicyCourse.Event {
        let wake = Signal()
        let subscription = wait.signal?.subscribe { wake.fire() }
        defer { subscription?.cancel() }
        return switch clock.wait(for: wake, until: wait.end, within: wait.deadline) {
        case .signalled: .done(number)
        case .elapsed: .timeUp(number)
        case .cancelled: .cancelled
        }
    }
}

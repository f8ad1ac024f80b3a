import HTTPSupport

/// One request of a batch on its way.
struct BatchedCall {
    let handle: Handle
    var course: PolicyCourse
    var subscription: PolicySignal.Subscription?
    /// Whether it has begun an exchange.
    var isSent = false
    /// Whether it counts as running while it waits. It does before its first exchange: otherwise a rate limit would get all
    /// requests at once, and refuse those whose turn would come too late. And it does where the request goes out at the end of
    /// the wait: a rate limit holds only if what has its turn is sent at once.
    var holdsSlot = false

    /// The end of a wait, for a timer.
    struct End {
        let index: Int
        let number: Int
        /// Whether the request goes on only when there is a slot for it, or at its deadline.
        var needsSlot = false
        var deadline: TimePoint?
    }

    /// The call as its policies know it.
    final class Handle: PolicyCall {
        let clock: CallClock
        private let tokens: [CancellationToken]

        init(_ clock: CallClock, _ tokens: [CancellationToken]) { (self.clock, self.tokens) = (clock, tokens) }

        var isCancelled: Bool { tokens.contains { $0.isCancelled } }
    }

    /// One of its exchanges.
    final class SentRequest: LoopCall {
        private let batch: PolicyBatch
        private let index: Int
        private let handle: Handle

        init(_ batch: PolicyBatch, _ index: Int, _ handle: Handle) {
            (self.batch, self.index, self.handle) = (batch, index, handle)
        }

        var isCancelled: Bool { handle.isCancelled }

        func finish(_ result: consuming Result<Response, HTTPError>) { batch.advance(index, on: .answered(result)) }
    }
}

/// The event-loop driver. Blocking work of a policy runs on the thread of the loop, too, while the other requests wait.
extension PolicyBatch {
    /// Advances a request until it waits for something.
    func advance(_ index: Int, on event: consuming PolicyCourse.Event) {
        guard var call = calls[index].take() else { return }
        var effect = call.course.advance(on: event)
        if effect != nil {
            call.subscription.take()?.cancel()
            hold(false, &call)
        }
        while let current = effect.take() {
            switch current {
            case .send(let request, let deadline):
                call.isSent = true
                let exchange = BatchedCall.SentRequest(self, index, call.handle)
                ready.append(SourcedCall(request: request, deadline: deadline, owner: exchange))
            case .wait(let wait): effect = begin(wait, index, &call)
            case .run(let work, deadline: _):
                work.run()
                effect = call.course.advance(on: .done(call.course.number))
            // Policies ask only a driver that can (`canSendInBackground`); this one cannot.
            case .sendInBackground: effect = call.course.advance(on: .done(call.course.number))
            case .finish(let outcome): return finish(index, outcome)
            }
        }
        calls[index] = call
    }

    private func begin(_ wait: PolicyWait, _ index: Int, _ call: inout BatchedCall) -> PolicyRun.Effect? {
        let number = call.course.number
        if call.handle.isCancelled { return call.course.advance(on: .cancelled) }
        if wait.signal?.isFired == true { return call.course.advance(on: .done(number)) }
        if let end = wait.last {
            let needsSlot = wait.cause == .betweenAttempts && call.isSent
            timers.insert(
                .init(
                    instant: end,
                    BatchedCall.End(index: index, number: number, needsSlot: needsSlot, deadline: wait.deadline)))
        }
        hold(!call.isSent || wait.cause == .rateLimit || wait.cause == .authorizing, &call)
        call.subscription = wait.signal?.subscribe { [inbox] in
            let wake = inbox.withLock { inbox in
                inbox.events.append((index, .done(number)))
                return inbox.wake
            }
            wake?()
        }
        return nil
    }

    private func hold(_ holdsSlot: Bool, _ call: inout BatchedCall) {
        held += (holdsSlot ? 1 : 0) - (call.holdsSlot ? 1 : 0)
        call.holdsSlot = holdsSlot
    }
}

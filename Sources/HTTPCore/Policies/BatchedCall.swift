import HTTPSupport

/// One request of a batch on its way: the event-loop driver. Blocking work of a policy runs on the thread of the loop, too,
/// while the other requests wait.
final class BatchedCall: LoopCall {
    private let batch: PolicyBatch
    private let index: Int
    private let handle: Handle
    private var course: PolicyCourse
    private var subscription: PolicySignal.Subscription?
    /// A wait between two attempts, behind which it goes on when there is a slot for it, or at its deadline.
    private var slotWait: PolicyWait?
    /// Whether it has begun an exchange.
    private var isSent = false
    /// Set while it waits with a slot.
    private var slot: BatchSlots.Holding? { didSet { batch.slots.exchange(oldValue, for: slot) } }

    /// The call as its policies know it.
    private final class Handle: PolicyCall {
        let clock: CallClock
        private let token: CancellationToken?

        init(_ clock: CallClock, _ token: CancellationToken?) { (self.clock, self.token) = (clock, token) }

        var isCancelled: Bool { token?.isCancelled ?? false }
    }

    init(_ index: Int, of batch: PolicyBatch, through client: PolicyClient) {
        (self.batch, self.index, handle) = (batch, index, Handle(client.clock, batch.batch.token))
        course = PolicyCourse(client.preparedPolicies(), handle)
    }

    var isCancelled: Bool { handle.isCancelled }

    func start(_ request: Request) {
        guard !isCancelled else {
            return batch.finish(index, .failure(.cancelled(CallRecord(unsent: request, phase: .queued))))
        }
        advance(on: .started(request))
    }

    /// An exchange is over.
    func finish(_ result: consuming Result<Response, HTTPError>) { advance(on: .answered(result)) }

    /// The time of the wait with this number has come. Without a slot, that of the call may still come.
    func timeUp(_ number: Int) {
        guard number == course.number, let wait = slotWait.take() else { return advance(on: .timeUp(number)) }
        batch.due.append((index, number))
        if let deadline = wait.deadline { batch.timers.insert(.init(instant: deadline, (index, number))) }
    }

    /// Advances until it waits for something.
    func advance(on event: consuming PolicyCourse.Event) {
        var effect = course.advance(on: event)
        if effect != nil {
            subscription.take()?.cancel()
            slotWait = nil
            slot = nil
        }
        while let current = effect.take() {
            switch current {
            case .send(let request, let deadline):
                isSent = true
                batch.ready.append(SourcedCall(request: request, deadline: deadline, owner: self))
            case .wait(let wait): effect = begin(wait)
            case .run(let work, deadline: _):
                work.run()
                effect = course.advance(on: .done(course.number))
            // Policies ask only a driver that can (`canSendInBackground`); this one cannot.
            case .sendInBackground: effect = course.advance(on: .done(course.number))
            case .finish(let outcome): batch.finish(index, outcome)
            }
        }
    }

    /// What follows a wait that is over before it begins; nil for any other.
    private func begin(_ wait: PolicyWait) -> PolicyRun.Effect? {
        let number = course.number
        if isCancelled { return course.advance(on: .cancelled) }
        if wait.signal?.isFired == true { return course.advance(on: .done(number)) }
        if let end = wait.last { batch.timers.insert(.init(instant: end, (index, number))) }
        if wait.cause == .betweenAttempts, isSent { slotWait = wait }
        slot = BatchSlots.Holding(wait, isSent: isSent)
        subscription = wait.signal?.subscribe { [index, inbox = batch.inbox, wake = batch.wake] in
            inbox.withLock { $0.events.append((index, .done(number))) }
            wake()
        }
        return nil
    }
}

import HTTPSupport

/// A batch of requests through policies, on the thread that makes the exchanges: which of them run, and what has happened
/// to each.
final class PolicyBatch: CallSource {
    /// What other threads report, and policies while they run.
    struct Inbox: Sendable {
        var events: [(index: Int, PolicyCourse.Event)] = []
        var isAnyCancelled = false
        /// Wakes the loop.
        var wake: (@Sendable () -> Void)?
    }

    private let batch: RequestBatch
    private let client: PolicyClient
    private let policies: [any CallPolicy]
    private let token = CancellationToken.current
    let inbox = Locked(Inbox())
    /// By the index of their requests; nil before the start and after the end.
    var calls: [BatchedCall?]
    private var started = 0
    private var finished = 0
    /// The number of requests that have a slot while they wait; see `BatchedCall.holdsSlot`.
    var held = 0
    /// To be sent, in this order.
    var ready: [SourcedCall] = []
    var timers = TimerHeap<BatchedCall.End>()
    /// Those whose time between two attempts is over, and who go on when there is a slot for them.
    var due: [BatchedCall.End] = []

    init(_ batch: RequestBatch, through client: PolicyClient) {
        self.batch = batch
        self.client = client
        policies = client.preparedPolicies()
        calls = Array(repeating: nil, count: batch.requests.count)
    }

    var mostActive: Int { max(1, min(batch.maxConcurrent, batch.requests.count)) }
    var tokens: [CancellationToken] { ([token] + batch.tokens).compactMap(\.self) }
    var isOver: Bool { finished == batch.requests.count }
    var nextDue: TimePoint? { timers.earliest }

    func run(wake: @escaping @Sendable () -> Void, _ body: () -> Void) {
        inbox.withLock { $0.wake = wake }
        let registrations = tokens.map { [inbox] token in
            token.onCancel {
                inbox.withLock { $0.isAnyCancelled = true }
                wake()
            }
        }
        body()
        for registration in registrations { registration.remove() }
        inbox.withLock { $0.wake = nil }
    }

    /// Each request makes one exchange at a time.
    func remaining(active: Int) -> Int { batch.requests.count - finished - active }

    func next(active: Int) -> SourcedCall? {
        readInbox()
        while let timer = timers.popDue(at: .now) { end(timer.subject) }
        while ready.isEmpty, active + held < mostActive, startNext() {}
        return active < mostActive && !ready.isEmpty ? ready.removeFirst() : nil
    }

    /// Goes on with a request that needs a slot for it, or starts one. False if there is none.
    private func startNext() -> Bool {
        if !due.isEmpty {
            let wait = due.removeFirst()
            advance(wait.index, on: .timeUp(wait.number))
            return true
        }
        guard started < batch.requests.count else { return false }
        start(started)
        started += 1
        return true
    }

    /// A wait is over. Without a slot, the time of the call may still end.
    private func end(_ wait: BatchedCall.End) {
        guard wait.needsSlot else { return advance(wait.index, on: .timeUp(wait.number)) }
        due.append(wait)
        guard let deadline = wait.deadline else { return }
        timers.insert(.init(instant: deadline, BatchedCall.End(index: wait.index, number: wait.number)))
    }

    func fail(_ error: (Request) -> HTTPError) {
        (ready, due) = ([], [])
        for index in batch.requests.indices where index >= started || calls[index] != nil {
            calls[index] = nil
            finish(index, .failure(error(batch.requests[index])))
        }
        started = batch.requests.count
    }

    private func start(_ index: Int) {
        let request = batch.requests[index]
        let handle = BatchedCall.Handle(client.clock, [token, batch.token(index)].compactMap(\.self))
        guard !handle.isCancelled else { return finish(index, .failure(.cancelled(CallRecord(request)))) }
        calls[index] = BatchedCall(handle: handle, course: PolicyCourse(policies, handle))
        advance(index, on: .started(request))
    }

    private func readInbox() {
        let (events, isAnyCancelled) = inbox.withLock { inbox in
            defer { (inbox.events, inbox.isAnyCancelled) = ([], false) }
            return (inbox.events, inbox.isAnyCancelled)
        }
        for (index, event) in events { advance(index, on: event) }
        guard isAnyCancelled else { return }
        for index in calls.indices where calls[index]?.handle.isCancelled == true { advance(index, on: .cancelled) }
    }

    func finish(_ index: Int, _ outcome: Result<Response, HTTPError>) {
        finished += 1
        batch.deliver(index, outcome)
    }
}

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
    /// The number of requests that wait before their first exchange. They count as running: otherwise a rate limit
    /// would get all requests at once, and refuse those whose turn would come too late.
    var unsent = 0
    /// To be sent, in this order.
    var ready: [SourcedCall] = []
    var timers = TimerHeap<(index: Int, wait: Int)>()

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
        while let timer = timers.popDue(at: .now) { advance(timer.subject.index, on: .timeUp(timer.subject.wait)) }
        guard active < mostActive else { return nil }
        while ready.isEmpty, started < batch.requests.count, active + unsent < mostActive {
            start(started)
            started += 1
        }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    func fail(_ error: (Request) -> HTTPError) {
        ready = []
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
        unsent += 1
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

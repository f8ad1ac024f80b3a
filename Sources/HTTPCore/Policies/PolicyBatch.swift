import HTTPSupport

/// A batch of requests through policies, on the thread that makes the exchanges: which of them run, and what has happened
/// to each.
final class PolicyBatch: CallSource {
    /// What other threads report, and policies while they run.
    struct Inbox: Sendable {
        var events: [(index: Int, PolicyCourse.Event)] = []
        var isCancelled = false
    }

    let batch: RequestBatch
    private let client: PolicyClient
    let inbox = Locked(Inbox())
    /// Wakes the loop.
    private(set) var wake: @Sendable () -> Void = {}
    /// By the index of their requests; nil before the start and after the end.
    private var calls: [BatchedCall?]
    private var started = 0
    private var finished = 0
    var slots: BatchSlots
    /// To be sent, in this order.
    var ready: [SourcedCall] = []
    /// The ends of waits, by the numbers that the waits have.
    var timers = TimerHeap<(index: Int, number: Int)>()
    /// Those whose time between two attempts is over, and who go on when there is a slot for them. A slice loses its first
    /// element in constant time, and a server that refuses all requests of a batch leads all of them here.
    var due: ArraySlice<(index: Int, number: Int)> = []

    init(_ batch: RequestBatch, through client: PolicyClient) {
        (self.batch, self.client) = (batch, client)
        calls = Array(repeating: nil, count: batch.requests.count)
        slots = BatchSlots(batch.mostActive)
    }

    var isOver: Bool { finished == batch.requests.count }
    var nextDue: TimePoint? { timers.earliest }

    func run(wake: @escaping @Sendable () -> Void, _ body: () -> Void) {
        self.wake = wake
        let registration = batch.token?.onCancel { [inbox] in
            inbox.withLock { $0.isCancelled = true }
            wake()
        }
        body()
        registration?.remove()
    }

    /// Each request makes one exchange at a time.
    func remaining(active: Int) -> Int { batch.requests.count - finished - active }

    func next(active: Int) -> SourcedCall? {
        readInbox()
        while let (index, number) = timers.popDue(at: .now)?.subject { calls[index]?.timeUp(number) }
        while ready.isEmpty, slots.allowOne(beside: active, isDue: !due.isEmpty), startNext() {}
        return active < batch.mostActive && !ready.isEmpty ? ready.removeFirst() : nil
    }

    private func readInbox() {
        let news = inbox.exchange(Inbox())
        for (index, event) in news.events { calls[index]?.advance(on: event) }
        guard news.isCancelled else { return }
        for index in calls.indices { calls[index]?.advance(on: .cancelled) }
    }

    /// Goes on with a request that needs a slot for it, or starts one. False if there is none.
    private func startNext() -> Bool {
        if let (index, number) = due.popFirst() {
            calls[index]?.advance(on: .timeUp(number))
            return true
        }
        guard started < batch.requests.count else { return false }
        let (index, request) = (started, batch.requests[started])
        started += 1
        let call = BatchedCall(index, of: self, through: client)
        calls[index] = call
        call.start(request)
        return true
    }

    func finish(_ index: Int, _ outcome: Result<Response, HTTPError>) {
        calls[index] = nil
        finished += 1
        batch.deliver(index, outcome)
    }
}

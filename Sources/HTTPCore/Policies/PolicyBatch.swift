/// The event-loop driver: runs a batch of requests through policies, on the thread that makes the exchanges. Blocking
/// work of a policy runs there, too, while the others wait.
final class PolicyBatch: CallSource {
    /// One request on its way.
    private struct Course {
        let call: Call
        var run: PolicyRun
        /// The layer that waits, as a bit; 0 for none.
        var waiting: UInt64 = 0
        /// The number of its waits, by which the timer of an earlier wait is recognized.
        var waits = 0
        /// The layers that were woken and have not waited since.
        var woken: UInt64 = 0
        /// Whether it has begun an exchange.
        var isSent = false
    }

    /// Events of other threads, and of policies while they run.
    private struct Letters: Sendable {
        var woken: [(index: Int, layer: UInt64)] = []
        var isAnyCancelled = false
        /// Wakes the loop.
        var wake: (@Sendable () -> Void)?
    }

    /// A request as its policies know it.
    private final class Call: PolicyCall {
        let index: Int
        let clock: CallClock
        private let tokens: [CancellationToken]
        private let letters: Locked<Letters>

        init(_ index: Int, _ clock: CallClock, _ tokens: [CancellationToken], _ letters: Locked<Letters>) {
            self.index = index
            self.clock = clock
            self.tokens = tokens
            self.letters = letters
        }

        var isCancelled: Bool { tokens.contains { $0.isCancelled } }

        func wake(_ layer: Int) {
            let wake = letters.withLock { letters in
                letters.woken.append((index, PolicyBatch.bit(layer)))
                return letters.wake
            }
            wake?()
        }
    }

    /// One of its exchanges.
    private final class Exchange: LoopCall {
        private let batch: PolicyBatch
        private let call: Call

        init(_ batch: PolicyBatch, _ call: Call) { (self.batch, self.call) = (batch, call) }

        var isCancelled: Bool { call.isCancelled }

        func finish(_ result: consuming Result<Response, HTTPError>) {
            batch.go(call.index) { [result] in $0.run.answer(result) }
        }
    }

    private let batch: RequestBatch
    private let client: PolicyClient
    private let policies: [any CallPolicy]
    private let token = CancellationToken.current
    private let letters = Locked(Letters())
    /// By the index of their requests; nil before the start and after the end.
    private var courses: [Course?]
    private var started = 0
    private var finished = 0
    /// The number of requests that wait before their first exchange. They count as running: otherwise a rate limit
    /// would get all requests at once, and refuse those whose turn would come too late.
    private var unsent = 0
    /// To be sent, in this order.
    private var ready: [SourcedCall] = []
    private var timers = TimerHeap<(index: Int, wait: Int)>()

    init(_ batch: RequestBatch, through client: PolicyClient) {
        self.batch = batch
        self.client = client
        policies = client.preparedPolicies()
        courses = Array(repeating: nil, count: batch.requests.count)
    }

    var mostActive: Int { max(1, min(batch.maxConcurrent, batch.requests.count)) }
    var tokens: [CancellationToken] { ([token] + batch.tokens).compactMap(\.self) }
    var isOver: Bool { finished == batch.requests.count }
    var nextDue: TimePoint? { timers.earliest }

    func run(wake: @escaping @Sendable () -> Void, _ body: () -> Void) {
        letters.withLock { $0.wake = wake }
        let registrations = tokens.map { [letters] token in
            token.onCancel {
                letters.withLock { $0.isAnyCancelled = true }
                wake()
            }
        }
        body()
        for registration in registrations { registration.remove() }
        letters.withLock { $0.wake = nil }
    }

    /// Each request makes one exchange at a time.
    func remaining(active: Int) -> Int { batch.requests.count - finished - active }

    func next(active: Int) -> SourcedCall? {
        readLetters()
        while let timer = timers.popDue(at: .now) {
            let (index, wait) = timer.subject
            if courses[index]?.waits == wait { resume(index) }
        }
        guard active < mostActive else { return nil }
        while ready.isEmpty, started < batch.requests.count, active + unsent < mostActive {
            start(started)
            started += 1
        }
        return ready.isEmpty ? nil : ready.removeFirst()
    }

    func fail(_ error: (Request) -> HTTPError) {
        ready = []
        for index in batch.requests.indices where index >= started || courses[index] != nil {
            courses[index] = nil
            finish(index, .failure(error(batch.requests[index])))
        }
        started = batch.requests.count
    }

    // MARK: Through the policies

    private func start(_ index: Int) {
        let request = batch.requests[index]
        let call = Call(index, client.clock, [token, batch.token(index)].compactMap(\.self), letters)
        guard !call.isCancelled else { return finish(index, .failure(.cancelled(CallRecord(request)))) }
        courses[index] = Course(call: call, run: PolicyRun(policies, call))
        unsent += 1
        go(index) { $0.run.start(request) }
    }

    private func readLetters() {
        let (woken, isAnyCancelled) = letters.withLock { letters in
            defer { (letters.woken, letters.isAnyCancelled) = ([], false) }
            return (letters.woken, letters.isAnyCancelled)
        }
        for (index, layer) in woken {
            courses[index]?.woken |= layer
            if let course = courses[index], course.waiting & layer != 0 { resume(index) }
        }
        guard isAnyCancelled else { return }
        for (index, course) in courses.enumerated() {
            guard let course, course.waiting != 0, course.call.isCancelled else { continue }
            go(index) { $0.run.interrupt() }
        }
    }

    private func resume(_ index: Int) {
        guard let course = courses[index], course.waiting != 0 else { return }
        go(index) { course in
            course.woken &= ~course.waiting
            return course.run.resume()
        }
    }

    /// Advances a request until it waits for something.
    private func go(_ index: Int, _ advance: (inout Course) -> PolicyRun.Effect) {
        guard var course = courses[index].take() else { return }
        var effect = advance(&course)
        course.waiting = 0
        while true {
            switch effect {
            case .send(let request, let deadline):
                if !course.isSent { unsent -= 1 }
                course.isSent = true
                courses[index] = course
                let exchange = Exchange(self, course.call)
                return ready.append(SourcedCall(request: request, deadline: deadline, owner: exchange))
            case .wait(let wait):
                if course.call.isCancelled {
                    effect = course.run.interrupt()
                } else if course.woken & Self.bit(wait.layer) != 0 {
                    course.woken &= ~Self.bit(wait.layer)
                    effect = course.run.resume()
                } else {
                    course.waiting = Self.bit(wait.layer)
                    course.waits += 1
                    courses[index] = course
                    if let end = wait.last { timers.insert(.init(instant: end, (index, course.waits))) }
                    return
                }
            case .run(let work):
                work()
                effect = course.run.resume()
            // Only for drivers that say they can.
            case .sendInBackground: effect = course.run.resume()
            case .finish(let outcome):
                if !course.isSent { unsent -= 1 }
                return finish(index, outcome)
            }
        }
    }

    private func finish(_ index: Int, _ outcome: Result<Response, HTTPError>) {
        finished += 1
        batch.deliver(index, outcome)
    }

    private static func bit(_ layer: Int) -> UInt64 { 1 << (UInt64(layer) & 63) }
}

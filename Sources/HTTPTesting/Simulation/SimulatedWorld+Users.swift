import HTTPSupport
import Synchronization

/// Users, who use clients at the same time.
///
/// Some begin later than others, and some cancel: the token around their calls is cancelled, and the task. What a user throws is
/// ignored if it is an `HTTPError`, a `CancellationError` or what `ignoring` of the `Simulation` takes, since calls of a bad world
/// fail; another error is a violation, and so is `.invalidRequest`, which is the code's own.
extension SimulatedWorld {
    /// Runs `body` for several users at once, on a thread each, and returns when the last one has ended.
    ///
    /// - Parameters:
    ///   - count: How many there may be, at least one; the seed decides.
    ///   - body: What a user does. It gets the number of the user, from 1.
    @available(*, noasync, message: "await users(_:_:) with a body that awaits")
    public func users(_ count: ClosedRange<Int> = 1...4, _ body: @escaping @Sendable (_ user: Int) throws -> Void) {
        let numbers = numbers(count)
        let left = Locked(numbers.count)
        for number in numbers {
            _ = scheduler.start { [self] in
                sleep(for: delay(ofUser: number))
                perform(as: number) { try body(number) }
                left.withLock { $0 -= 1 }
            }
        }
        _ = scheduler.wait(until: nil) { left.withLock { $0 == 0 } }
    }

    /// The same with a task each.
    public func users(_ count: ClosedRange<Int> = 1...4, _ body: @escaping @Sendable (_ user: Int) async throws -> Void)
        async
    {
        let tasks = numbers(count).map { number in
            task { [self] in
                await sleep(for: delay(ofUser: number))
                return number
            } body: {
                try await body(number)
            }
        }
        for task in tasks { await task.value }
    }

    /// Runs `body` on this thread as that user; 0 is for the code of the whole world.
    func perform(as number: Int, _ body: () throws -> Void) {
        let user = WorldUser(number)
        begin(user)
        Self.$user.withValue(number) { note(Result { try user.token.run(body) }) }
        user.end()
    }

    /// Runs `body` in a task of the world as the user that `arrive` returns.
    func task(_ arrive: @escaping @Sendable () async -> Int, body: @escaping @Sendable () async throws -> Void)
        -> Task<Void, Never>
    {
        let handle = Locked<Task<Void, Never>?>(nil)
        let task = Task(executorPreference: executor) { [self] in
            let user = WorldUser(await arrive(), handle.withLock { $0 })
            begin(user)
            await Self.$user.withValue(user.number) {
                await CancellationToken.$current.withValue(user.token) {
                    do { try await body() } catch { note(.failure(error)) }
                }
            }
            user.end()
        }
        handle.withLock { $0 = task }
        return task
    }

    /// Cancels the user when it is time, or the world has to end.
    private func begin(_ user: WorldUser) {
        let isClosed = state.withLock { state in
            state.userEnds.append { user.cancel() }
            return state.isClosed
        }
        if isClosed { return user.cancel() }
        guard let time = plan.cancellation(ofUser: user.number) else { return }
        let key = scheduler.key(.cancellation, user.number)
        scheduler.add(at: scheduler.now + time, key: key, if: { user.isActive }) { [self] in
            record(.cancelled) { $0.user = user.number }
            user.cancel()
        }
    }

    private func note(_ result: Result<Void, any Error>) {
        guard case .failure(let error) = result, !(error is CancellationError), !isExpected(error) else { return }
        if let error = error as? HTTPError {
            guard case .invalidRequest = error else { return }
        }
        // The description is the error's own code.
        let text = "\(error)"
        state.withLock { $0.thrown = $0.thrown ?? text }
    }

    /// The numbers of the users of one group.
    private func numbers(_ count: ClosedRange<Int>) -> ClosedRange<Int> {
        state.withLock { state in
            var numbers = SplitMix64(plan.seed, .users, state.users)
            let drawn = count.lowerBound + numbers.index(count.count)
            let first = state.users + 1
            state.users += max(1, min(drawn, plan.userLimit))
            return first...state.users
        }
    }

    private func delay(ofUser user: Int) -> Duration {
        var numbers = SplitMix64(plan.seed, .start, user)
        return plan.isPlain || numbers.isTrue(0.5) ? .zero : numbers.duration(upTo: .seconds(5))
    }
}

/// Who makes calls, and may cancel them.
private final class WorldUser: Sendable {
    let number: Int
    let token = CancellationToken()
    private let task: Task<Void, Never>?
    private let hasEnded = Atomic(false)

    init(_ number: Int, _ task: Task<Void, Never>? = nil) { (self.number, self.task) = (number, task) }

    var isActive: Bool { !hasEnded.load(ordering: .relaxed) && !token.isCancelled }

    func end() { hasEnded.store(true, ordering: .relaxed) }

    func cancel() {
        token.cancel()
        task?.cancel()
    }
}

/// Runs the parts of the world's tasks when it is their turn.
final class WorldExecutor: TaskExecutor {
    private let scheduler: WorldScheduler
    let agent: WorldAgent

    init(_ scheduler: WorldScheduler) {
        self.scheduler = scheduler
        agent = WorldAgent(scheduler)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let part = TaskPart(UnownedJob(job), of: self)
        scheduler.add { [agent] in ThreadRole.run(as: agent) { part.run() } }
    }
}

import HTTPSupport
import Synchronization

/// The transport of a world: for a thread that blocks, for a batch, and for calls that an agent makes.
struct WorldClient: EventLoopClient {
    let world: SimulatedWorld

    private var scheduler: WorldScheduler { world.scheduler }

    @available(*, noasync)
    func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        guard ThreadSystem.current === scheduler else { return .failure(world.stray(request)) }
        let outcome = Locked<Result<Response, HTTPError>?>(nil)
        let token = CancellationToken.current
        let call = SimulatedCall(request, in: world) { result in outcome.withLock { $0 = result } }
        call.begin()
        while true {
            _ = scheduler.wait(until: nil) {
                outcome.withLock { $0 != nil } || token?.isCancelled ?? false
            }
            if let outcome = outcome.withLock({ $0 }) { return outcome }
            call.cancel()
        }
    }

    /// As an event loop does, on this thread.
    func execute(_ source: any CallSource) {
        guard ThreadSystem.current === scheduler else { return source.batch.fail { world.stray($0) } }
        let batch = WorldBatch()
        var owners: [any LoopCall] = []
        let registration = source.batch.token?.onCancel { batch.wake() }
        source.run(wake: { batch.wake() }) {
            while true {
                while let next = source.next(active: batch.active) {
                    owners.append(next.owner)
                    batch.start(owners.count - 1, next, in: world)
                }
                if source.isOver, batch.active == 0 { break }
                _ = scheduler.wait(until: source.nextDue) { batch.isAwake }
                for (index, result) in batch.turn(isCancelled: { owners[$0].isCancelled }) {
                    owners[index].finish(result)
                }
            }
        }
        registration?.remove()
    }

    var callAgent: any CallAgent { WorldAgent(scheduler, world) }

    func taskAgents(_ count: Int) -> [any CallAgent] { [callAgent] }
}

/// The calls of a batch that are on their way. All but `wake` is for the batch's own thread.
private final class WorldBatch: Sendable {
    private let awake = Atomic(false)
    private let ended = Locked<[(index: Int, result: Result<Response, HTTPError>)]>([])
    private let calls = Locked<[(index: Int, call: SimulatedCall)]>([])

    var active: Int { calls.withLock { $0.count } }
    var isAwake: Bool { awake.load(ordering: .relaxed) }

    /// Any thread may call it.
    func wake() { awake.store(true, ordering: .relaxed) }

    func start(_ index: Int, _ sourced: SourcedCall, in world: SimulatedWorld) {
        let call = SimulatedCall(sourced.request, within: sourced.deadline, in: world) { [self] result in
            ended.withLock { $0.append((index, result)) }
            wake()
        }
        calls.withLock { $0.append((index, call)) }
        call.begin()
    }

    /// The results that have come, once the cancelled calls are over, too.
    func turn(isCancelled: (Int) -> Bool) -> [(index: Int, result: Result<Response, HTTPError>)] {
        awake.store(false, ordering: .relaxed)
        for entry in calls.withLock({ $0 }) where isCancelled(entry.index) { entry.call.cancel() }
        let ended = ended.exchange([])
        calls.withLock { calls in calls.removeAll { call in ended.contains { $0.index == call.index } } }
        return ended
    }
}

/// Makes calls as the agent of a transport does, between the parts of tasks.
final class WorldAgent: CallAgent {
    private let scheduler: WorldScheduler
    /// Nil for the agent of the world's tasks, which only keeps time.
    private let world: SimulatedWorld?

    init(_ scheduler: WorldScheduler, _ world: SimulatedWorld? = nil) {
        (self.scheduler, self.world) = (scheduler, world)
    }

    func submit(_ call: any SubmittedCall) -> Bool {
        guard let world else { return false }
        guard ThreadSystem.current === scheduler else {
            call.finish(.failure(world.stray(call.request)))
            return false
        }
        SimulatedCall(call.request, within: call.deadline, for: call, in: world) { call.finish($0) }.begin()
        return false
    }

    func submit(_ part: TaskPart) -> Bool {
        scheduler.add { [self] in ThreadRole.run(as: self) { part.run() } }
        return false
    }

    var load: Int { 0 }

    func set(_ alarm: any Alarm, for instant: TimePoint) {
        scheduler.add(at: instant, if: { alarm.isPending }) { [self] in ThreadRole.run(as: self) { alarm.fire() } }
    }

    func belongs(to owner: AnyObject) -> Bool { false }

    func noteCancellation() {
        guard let world else { return }
        scheduler.add { world.cancelCalls() }
    }

    /// The threads of the world do.
    func drive(idleTime: Duration) {}

    func refuseThread() -> [any SubmittedCall] { [] }
}

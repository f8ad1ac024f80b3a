import HTTPSupport

/// A call that an event loop makes together with others.
package protocol LoopCall: AnyObject {
    var isCancelled: Bool { get }

    /// Called once, on the loop's thread: anything slow delays all other calls.
    func finish(_ result: consuming Result<Response, HTTPError>)
}

/// A call that any thread may submit.
package protocol SubmittedCall: LoopCall, Sendable {
    var request: Request { get }
    /// By when it has to be over.
    var deadline: CallDeadline? { get }
}

/// A part of a task, up to its next suspension. It keeps its executor alive: the task may be the last to know it.
package struct TaskPart: Sendable {
    private let job: UnownedJob
    private let executor: any TaskExecutor

    package init(_ job: UnownedJob, of executor: any TaskExecutor) { (self.job, self.executor) = (job, executor) }

    package func run() {
        ThreadRole.run(on: executor) { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
    }
}

/// A waiter for a certain time.
package protocol Alarm: AnyObject, Sendable {
    /// Whether it still waits.
    var isPending: Bool { get }

    /// The time has come. Must return quickly.
    func fire()

    /// There is no thread to watch the time. By default it fires at once: nothing waits for ever.
    func refuse()
}

extension Alarm {
    package func refuse() { fire() }
}

/// Accepts calls from any thread and makes them on one, in a loop that ends after an idle time.
package protocol CallAgent: AnyObject, Sendable {
    /// Accepts `call`. Returns true if no thread drives the agent: the caller must then start one that calls `drive`.
    func submit(_ call: any SubmittedCall) -> Bool

    /// Runs `part` on the driving thread, between the loop's work. Returns true like `submit` for a call.
    func submit(_ part: TaskPart) -> Bool

    /// How much there is to do, roughly: running calls and waiting parts of tasks.
    var load: Int { get }

    /// Fires `alarm` on the driving thread, once `instant` has come. Only on that thread.
    func set(_ alarm: any Alarm, for instant: TimePoint)

    /// Whether it uses the connections of `owner`.
    func belongs(to owner: AnyObject) -> Bool

    /// Makes the driving thread check which of its calls are cancelled.
    func noteCancellation()

    /// Makes calls on this thread, until none has come for `idleTime`.
    func drive(idleTime: Duration)

    /// Reports that no thread could be started. Returns the calls accepted meanwhile, which will not be made; with parts of
    /// tasks it drives on this thread instead.
    func refuseThread() -> [any SubmittedCall]
}

extension Request {
    /// Whether the call waits only for the network and runs no code of the caller.
    package var needsNoThread: Bool {
        let progress = self[ProgressKey.self]
        guard progress.upload == nil, progress.download == nil else { return false }
        switch destination.kind {
        case .memory, .discard: break
        case .stream: if destination.reader == nil, !destination.isPrompt { return false }
        case .file: return false
        }
        return !body.isStreamed
    }
}

/// A client whose engine makes many calls on one thread.
package protocol EventLoopClient: BatchingClient {
    /// Makes all calls of `source` on this thread, each as `executeRequest` does, and returns when the last result is
    /// delivered.
    func execute(_ source: any CallSource)

    /// Accepts calls, which are made together on one borrowed thread. On the driving thread of one of its agents, that
    /// agent.
    var callAgent: any CallAgent { get }

    /// Further agents, for the tasks of executors: `count` at most, and the same each time.
    func taskAgents(_ count: Int) -> [any CallAgent]
}

extension EventLoopClient {
    package func execute(_ batch: RequestBatch) { execute(PlainSource(batch)) }
}

extension HTTPClient {
    package var eventLoopClient: (any EventLoopClient)? {
        if let client = self as? any EventLoopClient { return client }
        return (self as? any WrappingClient)?.wrapped.eventLoopClient
    }
}

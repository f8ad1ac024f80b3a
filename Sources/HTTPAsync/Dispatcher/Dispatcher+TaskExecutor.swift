import HTTPCore

/// Runs tasks on the dispatcher's own threads, if asked to: `Task(executorPreference: dispatcher) { … }`.
///
/// Such a task may block, and calls made in it through this dispatcher run at once on its thread. Each part of it between
/// two suspensions takes a slot, behind the calls that wait; it is never refused.
extension Dispatcher: TaskExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        let priority = TaskPriority(rawValue: job.priority.rawValue)
        pool.submit(TaskPart(UnownedJob(job), of: self), priority: Priority(priority))
    }
}

/// What a task does until it next suspends.
private final class TaskPart: DispatchedJob {
    private let job: UnownedJob
    private let dispatcher: Dispatcher

    init(_ job: UnownedJob, of dispatcher: Dispatcher) {
        self.job = job
        self.dispatcher = dispatcher
    }

    // It is never cancelled from outside, so nobody asks for its ticket.
    var ticket: Ticket? {
        get { nil }
        set {}
    }
    var deadline: CallDeadline? { nil }
    var isCancelled: Bool { false }
    var isPrompt: Bool { true }
    var isCall: Bool { false }
    var host: CallHost? { nil }
    var isMultiplexed: Bool { false }

    func run(hasWaited: Bool, slotIsFree: () -> Void) {
        job.runSynchronously(on: dispatcher.asUnownedTaskExecutor())
        slotIsFree()
    }

    /// There is no thread for it. A part of a task cannot fail, so it runs where that was found out.
    func end(_ ending: EarlyEnding) { job.runSynchronously(on: dispatcher.asUnownedTaskExecutor()) }

    func interrupt() {}
}

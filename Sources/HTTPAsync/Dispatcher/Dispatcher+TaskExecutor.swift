/// Runs tasks on the dispatcher's threads: `Task(executorPreference: dispatcher) { … }`.
///
/// Such a task may block, and its calls through this dispatcher run at once on its thread. Each part between two
/// suspensions takes a slot, after the waiting calls; it is never refused.
extension Dispatcher: TaskExecutor {
    public func enqueue(_ job: consuming ExecutorJob) {
        let priority = TaskPriority(rawValue: job.priority.rawValue)
        pool.submit(TaskPart(UnownedJob(job), of: self), priority: Priority(priority))
    }
}

/// The part of a task up to its next suspension.
private final class TaskPart: DispatchedJob {
    private let job: UnownedJob
    private let dispatcher: Dispatcher

    init(_ job: UnownedJob, of dispatcher: Dispatcher) {
        self.job = job
        self.dispatcher = dispatcher
    }

    func run(hasWaited: Bool, slotIsFree: () -> Void) {
        job.runSynchronously(on: dispatcher.asUnownedTaskExecutor())
        slotIsFree()
    }

    /// No thread could be started. A part of a task cannot fail, so it runs on this thread.
    func end(_ ending: EarlyEnding) { job.runSynchronously(on: dispatcher.asUnownedTaskExecutor()) }
}

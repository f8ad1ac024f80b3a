import HTTPCore

/// What code that knows nothing of dispatchers has to do where it may run on one of their threads.
package struct DispatcherThread: Sendable {
    private let worker: Worker

    /// Nil on any other thread. One that has it keeps it.
    package static var current: DispatcherThread? { WorkerThread.worker.map { DispatcherThread(worker: $0) } }

    /// Runs `body`, which is not part of the call that this thread may be in the middle of: what it asks the dispatcher for
    /// gets a slot of its own, and is not made here and now.
    package func leaveCall(_ body: () -> Void) {
        guard worker.slot != nil, !worker.isOutsideCall else { return body() }
        worker.isOutsideCall = true
        defer { worker.isOutsideCall = false }
        body()
    }

    /// Makes one of the calls that were put off until callbacks have returned; false if there is none. A thread must not
    /// sleep in a callback before: it may be waiting for just that call.
    package static func makePostponedCall() -> Bool { WorkerThread.worker?.nested.runPostponed() ?? false }

    /// This thread is about to sleep. If it does so outside the call it is in, or for calls that others make on its behalf,
    /// that call's slot may be what another needs to wake it.
    package static func giveUpSlot(forOthers: Bool = false) {
        guard let worker = WorkerThread.worker, worker.isOutsideCall || forOthers, let slot = worker.slot else {
            return
        }
        worker.slot = nil
        worker.pool.release(slot)
        worker.pass.take().map(worker.pool.returnPass)
    }
}

import HTTPCore

/// The duties of code that may run on a thread of a dispatcher without knowing dispatchers.
package struct DispatcherThread: Sendable {
    private let worker: Worker

    /// Nil on any other thread. It never changes for a thread.
    package static var current: DispatcherThread? { WorkerThread.worker.map { DispatcherThread(worker: $0) } }

    /// Runs `body`, which is not part of the call that this thread may be making: its calls to the dispatcher get their
    /// own slots and do not run nested.
    package func leaveCall(_ body: () -> Void) {
        guard worker.isWithinCall else { return body() }
        worker.isOutsideCall = true
        defer { worker.isOutsideCall = false }
        body()
    }

    /// This thread is about to sleep. If it does so outside its call, another call may need that call's slot to wake
    /// it.
    package static func giveUpSlot() {
        guard let worker = WorkerThread.worker, worker.isOutsideCall, let slot = worker.endCall() else { return }
        worker.pool.release(slot)
    }
}

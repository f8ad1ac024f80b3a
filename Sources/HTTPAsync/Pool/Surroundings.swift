/// What a thread lends to the code that it runs: task-local values, and its place in a call of a dispatcher.
package enum Surroundings {
    /// Runs `body`, which belongs to others than the code that causes it, without the task-local values bound here. It
    /// must not be cancelled with that code, share its deadline, or be part of its trace.
    ///
    /// The system has no other way to unbind values whose keys are not known than a task that copies none. It begins on
    /// this thread at once and does not suspend, so it has ended when this returns. Before it existed, the values of
    /// this package are unbound, and others remain.
    package static func unbind(_ body: @escaping @Sendable () -> Void) {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediateDetached { body() }
            return
        }
        CancellationToken.$current.withValue(nil) {
            CallDeadline.$current.withValue(nil) {
                TraceContext.$current.withValue(nil) { Dispatcher.$ofTask.withValue(nil, operation: body) }
            }
        }
    }

    /// The same, outside of the call that this thread may be making: calls of `body` get slots of their own and do not
    /// run nested.
    package static func leave(_ body: @escaping @Sendable () -> Void) {
        guard let worker = Worker.current, worker.isWithinCall else { return unbind(body) }
        worker.isOutsideCall = true
        defer { worker.isOutsideCall = false }
        unbind(body)
    }

    /// This thread is about to sleep. If it does so outside its call, another call may need that call's slot to wake
    /// it.
    package static func giveUpSlot() {
        guard let worker = Worker.current, worker.isOutsideCall, let slot = worker.endCall() else { return }
        worker.pool.release(slot)
    }
}

import HTTPSupport

/// What runs this thread, where something of this package does: blocking code finds it here without being told. Not a
/// task-local value, because a task that starts on the thread would inherit it.
package enum ThreadRole {
    private final class Box {
        let holder: (any SlotHolder)?
        let agent: (any CallAgent)?
        /// Used by its own thread only.
        var executor: (any TaskExecutor)?

        init(_ holder: (any SlotHolder)?, _ agent: (any CallAgent)?) { (self.holder, self.agent) = (holder, agent) }
    }

    /// The thread's slot; nil on threads without one.
    package static var holder: (any SlotHolder)? { box?.holder }

    /// The agent that this thread drives; nil on other threads.
    package static var agent: (any CallAgent)? { box?.agent }

    /// Runs `operation` as a thread with the slot of `holder`.
    package static func run(as holder: any SlotHolder, _ operation: () -> Void) { run(Box(holder, nil), operation) }

    /// Runs `operation` as the thread that drives `agent`.
    package static func run(as agent: any CallAgent, _ operation: () -> Void) { run(Box(nil, agent), operation) }

    /// The executor of the task of which this thread runs a part, if it drives an agent.
    package static var executor: (any TaskExecutor)? { box?.executor }

    /// Runs `operation` as a part of a task on `executor`.
    static func run(on executor: any TaskExecutor, _ operation: () -> Void) {
        let box = box
        box?.executor = executor
        operation()
        box?.executor = nil
    }

    private static func run(_ box: Box, _ operation: () -> Void) {
        guard let key else { return operation() }
        let outer = pthread_getspecific(key)
        withExtendedLifetime(box) {
            pthread_setspecific(key, Unmanaged.passUnretained(box).toOpaque())
            operation()
            pthread_setspecific(key, outer)
        }
    }

    private static var box: Box? {
        guard let key, let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Nil if the process has used up its keys; calls of such threads do not know that they have a slot.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()
}

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
    package static var holder: (any SlotHolder)? { boxes.current?.holder }

    /// The agent that this thread drives; nil on other threads.
    package static var agent: (any CallAgent)? { boxes.current?.agent }

    package static func run(as holder: any SlotHolder, _ operation: () -> Void) {
        boxes.run(with: Box(holder, nil), operation)
    }

    package static func run(as agent: any CallAgent, _ operation: () -> Void) {
        boxes.run(with: Box(nil, agent), operation)
    }

    /// The executor of the task of which this thread runs a part, if it drives an agent.
    package static var executor: (any TaskExecutor)? { boxes.current?.executor }

    static func run(on executor: any TaskExecutor, _ operation: () -> Void) {
        let box = boxes.current
        box?.executor = executor
        operation()
        box?.executor = nil
    }

    /// If the process has used up its keys, calls of such threads do not know that they have a slot.
    private static let boxes = ThreadValue<Box>()
}

import HTTPCore
import HTTPSupport

/// The threads of a dispatcher. Each knows its worker.
enum WorkerThread {
    /// Runs `body` on a new thread; false if the system refuses.
    static func start(stackBytes: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
        DetachedThread.start(stackBytes: stackBytes, body) == 0
    }

    /// The worker of this thread. Without one, nested calls are queued like others.
    static var worker: Worker? { ThreadRole.holder as? Worker }
}

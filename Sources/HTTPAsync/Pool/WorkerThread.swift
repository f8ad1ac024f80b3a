import HTTPCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The threads of a dispatcher. Each knows its worker.
enum WorkerThread {
    /// Runs `body` on a new thread; false if the system refuses.
    static func start(stackBytes: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
        DetachedThread.start(stackBytes: stackBytes, body) == 0
    }

    /// The worker of this thread.
    static var worker: Worker? {
        guard let key = workerKey, let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<Worker>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// Runs `operation` as the thread of `worker`.
    static func run(as worker: Worker, _ operation: () -> Void) {
        guard let key = workerKey else { return operation() }
        withExtendedLifetime(worker) {
            pthread_setspecific(key, Unmanaged.passUnretained(worker).toOpaque())
            operation()
            pthread_setspecific(key, nil)
        }
    }

    /// Nil if the process has used up its keys; nested calls are then queued like others.
    private static let workerKey: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()
}

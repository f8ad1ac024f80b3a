import HTTPCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread of our own that ends by itself and that nobody joins. The program's signals do not reach it.
enum WorkerThread {
    /// Runs `body` on a new thread; false if the system gives none.
    static func start(stackBytes: Int, _ body: @escaping @Sendable () -> Void) -> Bool {
        withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
            let attributes = attributes.baseAddress
            guard let attributes, pthread_attr_init(attributes) == 0 else { return false }
            defer { pthread_attr_destroy(attributes) }
            // A size that the system does not take leaves its own.
            pthread_attr_setstacksize(attributes, stackBytes)
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            return start(attributes, Unmanaged.passRetained(Body(body)))
        }
    }

    private static func start(_ attributes: UnsafePointer<pthread_attr_t>, _ body: Unmanaged<Body>) -> Bool {
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let isStarted = ThreadSignals.blocked {
            pthread_create(&thread, attributes, runBody, body.toOpaque()) == 0
        }
        if !isStarted { body.release() }
        return isStarted
    }

    /// The worker whose thread this is.
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

    /// Nil where the process has used up its keys; then nested calls are queued like others.
    private static let workerKey: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    #if canImport(Darwin)
    private static let runBody: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { body in
        Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
        return nil
    }
    #else
    private static let runBody: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { body in
        if let body { Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run() }
        return nil
    }
    #endif
}

import HTTPCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread that ends by itself and that nobody joins. The program's signals do not reach it.
///
/// Its stack is small next to the system's 8 MiB, so that many hundreds at once cost little.
enum ServerThread {
    static let stackSize = 256 * 1_024

    /// Runs `body` on a new thread. Returns 0 or the error code of the call that failed.
    static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
        // Not a variable: its initializer would belong to whichever module is found first to include the header.
        withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { attributes in
            guard let attributes = attributes.baseAddress else { return ENOMEM }
            pthread_attr_init(attributes)
            defer { pthread_attr_destroy(attributes) }
            pthread_attr_setstacksize(attributes, stackSize)
            pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
            return start(attributes, Unmanaged.passRetained(Job(body)))
        }
    }

    private static func start(_ attributes: UnsafePointer<pthread_attr_t>, _ job: Unmanaged<Job>) -> Int32 {
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let result = ThreadSignals.blocked { pthread_create(&thread, attributes, runJob, job.toOpaque()) }
        if result != 0 { job.release() }
        return result
    }

    private final class Job: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    #if canImport(Darwin)
    private static let runJob: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { job in
        Unmanaged<Job>.fromOpaque(job).takeRetainedValue().body()
        return nil
    }
    #else
    private static let runJob: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { job in
        if let job { Unmanaged<Job>.fromOpaque(job).takeRetainedValue().body() }
        return nil
    }
    #endif
}

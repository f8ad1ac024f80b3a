import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Mutex {
    /// Like `withLock`, for short work that many threads do at a high rate.
    ///
    /// On Linux a contended `Mutex` is handed over in the kernel from thread to thread, and once that has begun, each
    /// request of a busy server pays for a context switch. Giving way a few times first keeps it from beginning.
    func withBriefLock<Result>(_ body: (inout sending Value) -> sending Result) -> sending Result {
        for _ in 0..<100 {
            if let result = withLockIfAvailable(body) { return result }
            sched_yield()
        }
        return withLock(body)
    }
}

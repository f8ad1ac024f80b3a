#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A value behind a lock: the one lock of this package.
///
/// It is a POSIX mutex, for two reasons measured on Linux: under contention it hands over without the convoy that
/// `Synchronization.Mutex` runs into there, and the thread sanitizer sees it.
///
/// Copies share the value. Value and mutex are one allocation, for a call makes a lock or two of its own.
///
/// The value is touched by the thread that holds the mutex, and by no other.
package struct Locked<Value>: @unchecked Sendable {
    private let storage: Storage

    private final class Storage: ManagedBuffer<Value, pthread_mutex_t> {
        deinit { withUnsafeMutablePointerToElements { _ = pthread_mutex_destroy($0) } }
    }

    package init(_ value: sending Value) {
        let buffer = Storage.create(minimumCapacity: 1) { _ in value }
        buffer.withUnsafeMutablePointerToElements { mutex in
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }
        storage = unsafeDowncast(buffer, to: Storage.self)
    }

    /// Runs `body` with the lock held. Short work only, and nothing that calls out to others.
    @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let mutex = storage.withUnsafeMutablePointerToElements { $0 }
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&storage.header)
    }
}

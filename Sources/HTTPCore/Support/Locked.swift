import Synchronization

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
    fileprivate let storage: Storage

    fileprivate final class Storage: ManagedBuffer<Value, pthread_mutex_t> {
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

    fileprivate init(_ storage: Storage) { self.storage = storage }

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

/// A `Locked` that is not made before it is needed, for what most often is not.
package struct LazyLocked<Value>: ~Copyable, @unchecked Sendable {
    private let storage = AtomicLazyReference<Locked<Value>.Storage>()

    package init() {}

    /// Nil before it was made.
    package var ifMade: Locked<Value>? { storage.load().map { Locked($0) } }

    /// The one there is, or one with `value`.
    package func make(_ value: sending Value) -> Locked<Value> {
        if let made = ifMade { return made }
        return Locked(storage.storeIfNil(Locked(value).storage))
    }
}

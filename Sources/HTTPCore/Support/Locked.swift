import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// A value behind a lock.
///
/// Copies share the value. Value and mutex are one allocation, for a call makes a lock or two of its own.
@usableFromInline package struct Locked<Value>: Sendable {
    @usableFromInline let storage: Storage

    @usableFromInline final class Storage: LockedObject {
        @usableFromInline typealias Guarded = Value

        deinit { Lock.deinitialize(self) }
    }

    @inlinable
    package init(_ value: sending Value) { storage = Storage.make { value } }

    fileprivate init(_ storage: Storage) { self.storage = storage }

    /// Runs `body` with the lock held. Short work only, and nothing that calls out to others.
    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try storage.withLock(body)
    }
}

/// An object that is a value and the lock it is behind, for what is made by the million: all of it is one allocation. This is
/// the one lock of the package.
///
/// It is a POSIX mutex, for two reasons measured on Linux: under contention it hands over without the convoy that
/// `Synchronization.Mutex` runs into there, and the thread sanitizer sees it.
///
/// A conforming class has no stored properties, is made by `make`, and calls `Lock.deinitialize` when it goes away. The
/// value is touched by the thread that holds the mutex, and by no other.
@usableFromInline package protocol LockedObject: AnyObject, Sendable {
    associatedtype Guarded
}

extension LockedObject {
    @usableFromInline typealias Memory = ManagedBufferPointer<Lock, Guarded>

    @inlinable @inline(__always)
    package static func make(_ value: () -> Guarded) -> Self {
        let memory = Memory(bufferClass: self, minimumCapacity: 1) { _, _ in
            Lock { _ = $0.alignedUp(for: Guarded.self).assumingMemoryBound(to: Guarded.self).move() }
        }
        let (lock, place) = memory.withUnsafeMutablePointers { ($0, $1) }
        Lock.initialize(lock)
        place.initialize(to: value())
        return unsafeDowncast(memory.buffer, to: Self.self)
    }

    /// Runs `body` with the lock held. Short work only, and nothing that calls out to others.
    ///
    /// By pointers: the mutex lets in one at a time, and a check of just that at run time would cost as much again.
    /// Inlined in other modules, too, for which the type itself has to be usable from inline: else what `body` captures and
    /// returns is copied.
    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Guarded) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let (lock, place) = Memory(unsafeBufferObject: self).withUnsafeMutablePointers { ($0, $1) }
        Lock.lock(lock)
        // The object has to be there until then.
        defer { withExtendedLifetime(self) { Lock.unlock(lock) } }
        return try body(&place.pointee)
    }
}

/// A POSIX mutex, which is used where it lies, in front of what it guards. Code that is inlined into other modules knows its
/// name, and not what it is made of, which is the C library's.
@usableFromInline package struct Lock {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<Lock>

    private var mutex = pthread_mutex_t()
    /// Deinitializes what is guarded, which lies behind the lock. Noted where the object is made, for there its type is known:
    /// the end of a generic class would have to look it up.
    private let deinitializeGuarded: @Sendable (UnsafeMutableRawPointer) -> Void

    @usableFromInline init(_ deinitializeGuarded: @escaping @Sendable (UnsafeMutableRawPointer) -> Void) {
        self.deinitializeGuarded = deinitializeGuarded
    }

    @usableFromInline static func initialize(_ pointer: Pointer) { pthread_mutex_init(mutex(pointer), nil) }

    package static func deinitialize(_ object: AnyObject) {
        ManagedBufferPointer<Lock, Void>(unsafeBufferObject: object).withUnsafeMutablePointerToHeader { pointer in
            pointer.pointee.deinitializeGuarded(pointer + 1)
            pthread_mutex_destroy(mutex(pointer))
            pointer.deinitialize(count: 1)
        }
    }

    @usableFromInline static func lock(_ pointer: Pointer) { pthread_mutex_lock(mutex(pointer)) }

    @usableFromInline static func unlock(_ pointer: Pointer) { pthread_mutex_unlock(mutex(pointer)) }

    /// The first member of a struct lies where the struct does.
    private static func mutex(_ pointer: Pointer) -> UnsafeMutablePointer<pthread_mutex_t> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: pthread_mutex_t.self)
    }
}

/// A `Locked` that is made on first use, for values that are seldom needed.
package struct LazyLocked<Value>: ~Copyable, Sendable {
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

/// An event that happens once, and for which threads can wait: a POSIX condition and its mutex.
///
/// It is in the file of the lock so that both can be reasoned about in one place. Copies are the same signal.
///
/// Unchecked, because `ManagedBuffer` is not `Sendable`: the value is accessed with the mutex held.
package struct Signal: @unchecked Sendable {
    private typealias Condition = (mutex: pthread_mutex_t, condition: pthread_cond_t)

    private let storage: Storage

    private final class Storage: ManagedBuffer<Bool, Condition> {
        deinit {
            withUnsafeMutablePointerToElements { condition in
                pthread_cond_destroy(&condition.pointee.condition)
                pthread_mutex_destroy(&condition.pointee.mutex)
            }
        }
    }

    package init() {
        let buffer = Storage.create(minimumCapacity: 1) { _ in false }
        buffer.withUnsafeMutablePointerToElements { condition in
            condition.initialize(to: (pthread_mutex_t(), pthread_cond_t()))
            pthread_mutex_init(&condition.pointee.mutex, nil)
            Self.initialize(&condition.pointee.condition)
        }
        storage = unsafeDowncast(buffer, to: Storage.self)
    }

    /// Wakes all waiting threads; later waits return at once.
    package func fire() {
        storage.withUnsafeMutablePointers { fired, condition in
            pthread_mutex_lock(&condition.pointee.mutex)
            fired.pointee = true
            pthread_cond_broadcast(&condition.pointee.condition)
            pthread_mutex_unlock(&condition.pointee.mutex)
        }
    }

    /// Sleeps until it has fired, or until `end`; nil is for ever. Whether it has fired.
    package func wait(until end: TimePoint? = nil) -> Bool {
        storage.withUnsafeMutablePointers { fired, condition in
            pthread_mutex_lock(&condition.pointee.mutex)
            defer { pthread_mutex_unlock(&condition.pointee.mutex) }
            while !fired.pointee {
                guard let end else {
                    pthread_cond_wait(&condition.pointee.condition, &condition.pointee.mutex)
                    continue
                }
                let left = TimePoint.now.duration(to: end)
                guard left > .zero else { return false }
                // The clock of this wait stops while the machine is suspended, so the time is checked again.
                Self.sleep(&condition.pointee.condition, &condition.pointee.mutex, for: min(left, .seconds(86_400)))
            }
            return true
        }
    }

    #if canImport(Darwin)
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        pthread_cond_init(condition, nil)
    }

    private static func sleep(
        _ condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
        for time: Duration
    ) {
        var time = timespec(time)
        pthread_cond_timedwait_relative_np(condition, mutex, &time)
    }
    #else
    /// By a clock that cannot be set.
    private static func initialize(_ condition: UnsafeMutablePointer<pthread_cond_t>) {
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    private static func sleep(
        _ condition: UnsafeMutablePointer<pthread_cond_t>, _ mutex: UnsafeMutablePointer<pthread_mutex_t>,
        for time: Duration
    ) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        var end = timespec(Duration.seconds(now.tv_sec) + .nanoseconds(now.tv_nsec) + time)
        pthread_cond_timedwait(condition, mutex, &end)
    }
    #endif
}

extension timespec {
    /// Rounded up, so that the time is over when it has passed.
    fileprivate init(_ time: Duration) {
        let (seconds, attoseconds) = (time + .nanoseconds(1)).components
        self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}

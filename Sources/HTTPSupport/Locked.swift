/// A value behind a lock.
///
/// Copies share the value. Value and mutex share one allocation, because each call makes a lock or two.
@usableFromInline package struct Locked<Value>: Sendable {
    @usableFromInline let storage: Storage

    @usableFromInline final class Storage: LockedObject {
        @usableFromInline typealias Guarded = Value

        deinit { Lock.deinitialize(self) }
    }

    @inlinable
    package init(_ value: sending Value) { storage = Storage.make { value } }

    /// Runs `body` with the lock held. Keep it short, and do not call foreign code.
    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try storage.withLock(body)
    }
}

extension Locked where Value: Sendable {
    /// The value, in whose place is `new` from then on.
    package func exchange(_ new: Value) -> Value {
        withLock { value in
            defer { value = new }
            return value
        }
    }
}

/// An object that consists of a value and its lock in one allocation, for objects made by the million. It is the
/// package's only lock.
///
/// It is a POSIX mutex, for two reasons measured on Linux: under contention it avoids the convoy that
/// `Synchronization.Mutex` runs into, and the thread sanitizer supports it.
///
/// A conforming class has no stored properties, is made by `make`, and calls `Lock.deinitialize` in its deinitializer.
/// Only the thread that holds the mutex accesses the value.
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

    /// Runs `body` with the lock held. Keep it short, and do not call foreign code. A deinitializer is foreign code: what
    /// `body` removes it returns, and the caller passes it to `withExtendedLifetime`. A result that is only discarded is
    /// released before the mutex by the optimizer.
    ///
    /// It uses pointers, because the run-time check for exclusive access would double its cost, and the mutex already
    /// guarantees it. It is inlinable, and the type usable from inline, so that other modules do not copy the captures
    /// and the result of `body`.
    @inlinable @inline(__always)
    package func withLock<Result, Failure: Error>(
        _ body: (inout sending Guarded) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        let (lock, place) = Memory(unsafeBufferObject: self).withUnsafeMutablePointers { ($0, $1) }
        Lock.lock(lock)
        // The object must live until then.
        defer { withExtendedLifetime(self) { Lock.unlock(lock) } }
        return try body(&place.pointee)
    }

    /// Runs `body` with the lock held and the addresses of mutex and value, which a condition needs.
    fileprivate func withLockedMemory<Result>(
        _ body: (UnsafeMutablePointer<pthread_mutex_t>, UnsafeMutablePointer<Guarded>) -> Result
    ) -> Result {
        let (lock, place) = Memory(unsafeBufferObject: self).withUnsafeMutablePointers { ($0, $1) }
        Lock.lock(lock)
        defer { withExtendedLifetime(self) { Lock.unlock(lock) } }
        return body(Lock.mutex(lock), place)
    }
}

/// A POSIX mutex, used in place, in front of the value that it guards. Inlined code in other modules knows its name,
/// but not its layout, which is that of the C library.
@usableFromInline package struct Lock {
    @usableFromInline typealias Pointer = UnsafeMutablePointer<Lock>

    private var mutex = pthread_mutex_t()
    /// Deinitializes the guarded value, which lies behind the lock. It is set where the object is made and the type is
    /// known: the deinitializer of a generic class would have to look it up.
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

    /// The first member of a struct has the address of the struct.
    fileprivate static func mutex(_ pointer: Pointer) -> UnsafeMutablePointer<pthread_mutex_t> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: pthread_mutex_t.self)
    }
}

/// An event that happens once and that threads can wait for: a POSIX condition behind a lock.
///
/// It is in this file because a condition needs the lock's mutex. Copies share the signal.
package struct Signal: Sendable {
    private struct Occurrence {
        var hasHappened = false
        /// Used in place.
        var condition = pthread_cond_t()
    }

    private final class Storage: LockedObject {
        typealias Guarded = Occurrence

        deinit {
            withLockedMemory { _, occurrence in _ = pthread_cond_destroy(&occurrence.pointee.condition) }
            Lock.deinitialize(self)
        }
    }

    private let storage = Storage.make { Occurrence() }

    package init() {
        storage.withLockedMemory { _, occurrence in Self.initialize(&occurrence.pointee.condition) }
    }

    /// Wakes all waiting threads; later waits return at once.
    package func fire() {
        storage.withLockedMemory { _, occurrence in
            occurrence.pointee.hasHappened = true
            pthread_cond_broadcast(&occurrence.pointee.condition)
        }
    }

    private var hasFired: Bool { storage.withLock { $0.hasHappened } }

    /// Waits until it has fired, or until `end`; nil waits without a limit. Returns whether it has fired.
    package func wait(until end: TimePoint? = nil) -> Bool {
        if let system = ThreadSystem.current { return system.wait(until: end) { hasFired } }
        return storage.withLockedMemory { mutex, occurrence in
            while !occurrence.pointee.hasHappened {
                guard let end else {
                    pthread_cond_wait(&occurrence.pointee.condition, mutex)
                    continue
                }
                let left = TimePoint.now.duration(to: end)
                guard left > .zero else { return false }
                // This clock stops while the machine is suspended, so the time is checked again.
                Self.sleep(&occurrence.pointee.condition, mutex, for: min(left, .seconds(86_400)))
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
    /// Uses a clock that cannot be set.
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
    /// Rounded up, so that the wait does not end early.
    fileprivate init(_ time: Duration) {
        let (seconds, attoseconds) = (time + .nanoseconds(1)).components
        self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}

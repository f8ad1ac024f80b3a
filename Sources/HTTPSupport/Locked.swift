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
    func withLockedMemory<Result>(
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

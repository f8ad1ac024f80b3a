#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Android)
import Android
#endif

/// The object that runs this thread, where one does: blocking code finds it here without being told. Not a task-local
/// value, because a task that starts on the thread would inherit it.
package enum ThreadRole {
    private final class Box {
        let holder: any SlotHolder

        init(_ holder: any SlotHolder) { self.holder = holder }
    }

    /// Nil on other threads.
    package static var holder: (any SlotHolder)? {
        guard let key, let pointer = pthread_getspecific(key) else { return nil }
        return Unmanaged<Box>.fromOpaque(pointer).takeUnretainedValue().holder
    }

    /// Runs `operation` as the thread of `holder`.
    package static func run(as holder: any SlotHolder, _ operation: () -> Void) {
        guard let key else { return operation() }
        let box = Box(holder)
        withExtendedLifetime(box) {
            pthread_setspecific(key, Unmanaged.passUnretained(box).toOpaque())
            operation()
            pthread_setspecific(key, nil)
        }
    }

    /// Nil if the process has used up its keys; calls of such threads do not know that they have a slot.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Runs callbacks one after the other on a thread, never one inside another: so the stack does not grow with the length
/// of a chain, and a callback that resolves or registers sees its own code finish first.
///
/// The outermost call on a thread keeps a queue on its stack, with its address in a thread-specific slot; calls inside
/// it add to that queue.
@usableFromInline
struct Trampoline {
    /// The future being drained, and the ones to be drained after it: owned.
    private var current: Unmanaged<FutureCore>?
    private var first: Unmanaged<FutureCore>?
    private var last: Unmanaged<FutureCore>?

    private init() {}

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        _ = pthread_key_create(&key, nil)
        return key
    }()

    private static var here: UnsafeMutablePointer<Trampoline>? {
        pthread_getspecific(key)?.assumingMemoryBound(to: Trampoline.self)
    }

    /// Whether this thread runs no callback.
    @usableFromInline static var isIdle: Bool { pthread_getspecific(key) == nil }

    /// Has a future drained whose `busy` flag this thread holds: now, or after the callback that is running.
    static func schedule(_ core: FutureCore) {
        if let here {
            here.pointee.append(core)
        } else {
            perform { here?.pointee.append(core) }
        }
    }

    /// Runs `body`, and then the callbacks it gave rise to.
    @usableFromInline
    static func perform(_ body: () -> Void) {
        guard isIdle else { return body() }
        var trampoline = Trampoline()
        withUnsafeMutablePointer(to: &trampoline) { pointer in
            pthread_setspecific(key, pointer)
            body()
            drain(pointer)
            pthread_setspecific(key, nil)
        }
    }

    /// Runs what this thread has queued until `core` is done: a thread about to block must not owe what it waits for.
    static func help(until core: FutureCore) {
        guard let here else { return }
        while !core.isDone, let next = here.pointee.take() {
            if let node = next.popWaiting() { next.run(node) } else { here.pointee.drop() }
        }
    }

    private static func drain(_ here: UnsafeMutablePointer<Trampoline>) {
        while let core = here.pointee.take() {
            // A callback that waits may have drained this one and gone on to others.
            while here.pointee.isCurrent(core) {
                guard let node = core.popWaiting() else {
                    here.pointee.drop()
                    break
                }
                core.run(node)
            }
        }
    }

    private mutating func append(_ core: FutureCore) {
        let entry = Unmanaged.passRetained(core)
        if let last { last._withUnsafeGuaranteedRef { $0.ready = entry } } else { first = entry }
        last = entry
    }

    /// The future to drain.
    private mutating func take() -> FutureCore? {
        if let current { return current.takeUnretainedValue() }
        guard let entry = first else { return nil }
        first = entry._withUnsafeGuaranteedRef { core in
            defer { core.ready = nil }
            return core.ready
        }
        if first == nil { last = nil }
        current = entry
        return entry.takeUnretainedValue()
    }

    private func isCurrent(_ core: FutureCore) -> Bool {
        current.map { $0.toOpaque() == Unmanaged.passUnretained(core).toOpaque() } ?? false
    }

    private mutating func drop() {
        let drained = current
        current = nil
        drained?.release()
    }
}

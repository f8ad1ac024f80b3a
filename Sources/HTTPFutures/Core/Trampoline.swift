#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Runs callbacks one after the other on a thread, and one inside another only if that one waits: so the stack does not
/// grow with the length of a chain, and a callback that resolves or registers sees its own code finish first.
///
/// A thread has one, made when it is first needed and kept until the thread ends: to look it up once for a callback is
/// cheaper than to set and clear it around each. The outermost call on the thread drains its queue; calls inside that
/// one add to it.
@usableFromInline
struct Trampoline {
    @usableFromInline typealias Place = UnsafeMutablePointer<Trampoline>

    /// Whether a call on this thread is going to drain the queue.
    private var isRunning = false
    /// The future being drained.
    private var current: Unmanaged<FutureCore>?
    /// The same, if it was queued: the reference that it was queued with.
    private var owned: FutureCore?
    /// The ones to be drained after it: owned.
    private var first: Unmanaged<FutureCore>?
    private var last: Unmanaged<FutureCore>?

    private init() {}

    /// This thread's trampoline, if the thread is in no callback: it counts as in one until `leave`.
    @usableFromInline
    static func enter() -> Place? {
        guard let here, !here.pointee.isRunning else { return nil }
        here.pointee.isRunning = true
        return here
    }

    /// Runs the callbacks that came up since `enter`.
    @usableFromInline
    static func leave(_ here: Place) {
        if here.pointee.first != nil { drain(here) }
        here.pointee.isRunning = false
    }

    /// Has a future drained whose `busy` flag this thread holds: now, or after the callback that is running.
    static func schedule(_ core: FutureCore) {
        guard let here else {
            // The system has no room for one: callbacks are nested then.
            var trampoline = Trampoline()
            trampoline.append(Unmanaged.passRetained(core))
            return withUnsafeMutablePointer(to: &trampoline) { drain($0) }
        }
        guard !here.pointee.isRunning else { return here.pointee.append(Unmanaged.passRetained(core)) }
        here.pointee.isRunning = true
        withExtendedLifetime(core) {
            let core = Unmanaged.passUnretained(core)
            here.pointee.current = core
            drain(here, from: core)
        }
        here.pointee.isRunning = false
    }

    /// Runs `body`, and then the callbacks it gave rise to.
    @usableFromInline
    static func perform(_ body: () -> Void) {
        guard let here = enter() else { return body() }
        body()
        leave(here)
    }

    /// Runs what this thread has queued until `core` is done: a thread about to block must not owe what it waits for.
    static func help(until core: FutureCore) {
        guard let here else { return }
        let interrupted = (current: here.pointee.current, owned: here.pointee.owned)
        while !core.isDone, let next = here.pointee.take() {
            if let node = next._withUnsafeGuaranteedRef({ $0.popWaiting() }) {
                next._withUnsafeGuaranteedRef { $0.run(node, on: here) }
                // Not left to `take`: a callback may have waited in turn, and drained this one.
                if here.pointee.current == nil { release(here) }
            } else {
                finish(here)
            }
        }
        if let current = interrupted.current, here.pointee.isCurrent(current) { return }
        here.pointee.putBack()
        // The callback that waits is one of its nodes: it lives until that has returned.
        here.pointee.owned = interrupted.owned
    }

    // Apart, so that the way without callbacks has nothing of it.
    @inline(never)
    private static func drain(_ here: Place) {
        if let first = here.pointee.take() { drain(here, from: first) }
    }

    /// Begins with the future that is the current one.
    private static func drain(_ here: Place, from first: Unmanaged<FutureCore>) {
        var core = first
        while true {
            while true {
                guard let node = nextWaiting(here, of: core) else {
                    finish(here)
                    break
                }
                core._withUnsafeGuaranteedRef { $0.run(node, on: here) }
                guard here.pointee.isCurrent(core) else {
                    // A callback that waits has drained this one.
                    release(here)
                    break
                }
            }
            guard let next = here.pointee.take() else { return }
            core = next
        }
    }

    /// Takes over the caller's reference.
    mutating func append(_ entry: Unmanaged<FutureCore>) {
        if let last { last._withUnsafeGuaranteedRef { $0.ready = entry } } else { first = entry }
        last = entry
    }

    /// The future to drain.
    private mutating func take() -> Unmanaged<FutureCore>? {
        if let current { return current }
        guard let entry = first else { return nil }
        first = entry._withUnsafeGuaranteedRef { core in
            defer { core.ready = nil }
            return core.ready
        }
        if first == nil { last = nil }
        current = entry
        owned = entry.takeRetainedValue()
        return entry
    }

    /// Lets go of the future that was drained.
    private static func finish(_ here: Place) {
        here.pointee.current = nil
        release(here)
    }

    /// The reference goes when it is out of its place, with nobody changing the trampoline: what goes with it may run
    /// foreign code, which may come back here.
    private static func release(_ here: Place) { _ = here.pointee.owned.take() }

    /// Has the future that is being drained go on later, as the first.
    private mutating func putBack() {
        guard let core = owned, current != nil else { return }
        let entry = Unmanaged.passRetained(core)
        core.ready = first
        first = entry
        if last == nil { last = entry }
        current = nil
    }

    private func isCurrent(_ core: Unmanaged<FutureCore>) -> Bool { current?.toOpaque() == core.toOpaque() }

    /// The next node of the future being drained; nil after the last.
    private static func nextWaiting(_ here: Place, of core: Unmanaged<FutureCore>) -> Unmanaged<FutureCore>? {
        // Nobody else can reach it any more: it goes as it is.
        if core._withUnsafeGuaranteedRef({ $0.waiting == nil }), isKnownUniquelyReferenced(&here.pointee.owned),
            core._withUnsafeGuaranteedRef({ $0.isForgotten })
        {
            return nil
        }
        return core._withUnsafeGuaranteedRef { $0.popWaiting() }
    }
}

/// Where a thread keeps its trampoline.
extension Trampoline {
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, free) == 0 ? key : nil
    }()

    private static var here: Place? {
        guard let key else { return nil }
        return pthread_getspecific(key)?.assumingMemoryBound(to: Trampoline.self) ?? make(key)
    }

    @inline(never)
    private static func make(_ key: pthread_key_t) -> Place? {
        let place = Place.allocate(capacity: 1)
        place.initialize(to: Trampoline())
        guard pthread_setspecific(key, place) == 0 else {
            place.deinitialize(count: 1)
            place.deallocate()
            return nil
        }
        return place
    }

    private static func free(_ place: UnsafeMutableRawPointer) {
        let place = place.assumingMemoryBound(to: Trampoline.self)
        place.deinitialize(count: 1)
        place.deallocate()
    }

    #if canImport(Darwin)
    private static let free: @convention(c) (UnsafeMutableRawPointer) -> Void = { free($0) }
    #else
    private static let free: @convention(c) (UnsafeMutableRawPointer?) -> Void = { if let place = $0 { free(place) } }
    #endif
}

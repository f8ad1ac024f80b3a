import HTTPSupport
import Synchronization

/// What an instant is waited for with.
@usableFromInline
protocol Expiring: AnyObject, Sendable {
    /// The time is over.
    func expire(after time: Duration)
}

/// Ends a future at an instant. The dispatcher's heap of timers holds it until then, so it releases the future as soon
/// as that has ended.
// One reference and no lock: there is one for each limit of a future.
@usableFromInline
final class Wakeup: Sendable {
    /// A retained reference to what expires; whoever takes it out owns it. Zero once it is taken.
    private let target: Atomic<UInt>
    private let time: Duration

    /// Will expire `target`, `time` after its beginning.
    @usableFromInline init(_ target: any Expiring, after time: Duration) {
        self.target = Atomic(UInt(bitPattern: Unmanaged<AnyObject>.passRetained(target).toOpaque()))
        self.time = time
    }

    deinit { stop() }

    /// Expires the target at `instant`, unless `core` has ended before.
    @inlinable func set<Value, Failure>(for core: FutureCore<Value, Failure>, at instant: TimePoint) {
        let isPending = core.withLock { state in
            if state.isWanted { state.wakeup = self }
            return state.isWanted
        }
        if isPending { start(at: instant) } else { stop() }
    }

    @usableFromInline func start(at instant: TimePoint) { Dispatcher.shared.set(self, for: instant) }

    @usableFromInline func stop() { _ = take() }

    private func take() -> AnyObject? {
        let word = target.exchange(0, ordering: .acquiringAndReleasing)
        return UnsafeRawPointer(bitPattern: word).map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() }
    }
}

extension Wakeup: Alarm {
    var isPending: Bool { target.load(ordering: .relaxed) != 0 }

    /// On a thread that callbacks may block.
    func fire() {
        guard let target = take() as? any Expiring else { return }
        Dispatcher.shared.runCallback { [time] in target.expire(after: time) }
    }
}

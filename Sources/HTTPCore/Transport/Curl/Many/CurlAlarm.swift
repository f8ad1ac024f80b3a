#if canImport(CLibcurl)
import Synchronization

/// Tells the thread that drives many calls that some of them are to end. May be rung from any thread.
final class CurlAlarm: Sendable {
    private let isRung = Atomic(false)
    let waker: WakePipe

    init(_ waker: WakePipe) { self.waker = waker }

    func ring() {
        // The flag goes first: a wake-up may be lost.
        isRung.store(true, ordering: .sequentiallyConsistent)
        waker.wake()
    }

    /// Whether it was rung since the last time.
    func answer() -> Bool {
        isRung.load(ordering: .relaxed) && isRung.exchange(false, ordering: .acquiringAndReleasing)
    }
}
#endif

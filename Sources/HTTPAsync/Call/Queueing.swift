import HTTPSupport
import Synchronization

/// The wait of a job for a slot, if it has to. The job may end while a thread begins with it.
struct Queueing: ~Copyable, Sendable {
    private let limit = Atomic(SlotLimit.total)
    /// In nanoseconds; 0 before the wait begins.
    private let start = Atomic<Int64>(0)
    private let stop = Atomic(Int64.max)

    func begin(_ limit: SlotLimit) {
        self.limit.store(limit, ordering: .relaxed)
        start.store(TimePoint.now.nanoseconds, ordering: .releasing)
    }

    func end() { stop.store(TimePoint.now.nanoseconds, ordering: .relaxed) }

    /// What it waits or waited for, in words; nil if it had a slot at once.
    var obstacle: String? { start.load(ordering: .acquiring) == 0 ? nil : limit.load(ordering: .relaxed).obstacle }

    /// Until now, if it still lasts; nil if it had a slot at once.
    var wait: CallWait? {
        let start = start.load(ordering: .acquiring)
        guard start != 0 else { return nil }
        let end = min(stop.load(ordering: .relaxed), TimePoint.now.nanoseconds)
        return limit.load(ordering: .relaxed).wait(.nanoseconds(end - start))
    }
}

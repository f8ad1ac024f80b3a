/// A number that threads wait for, with the POSIX condition of their waits: what `Signal` and `Semaphore` consist of.
final class AwaitedCount: LockedObject {
    struct Guarded {
        var count = 0
        /// Used in place.
        var condition = pthread_cond_t()
    }

    /// The longest sleep at once of a wait with an end. The clock of the sleep stands still while the machine is suspended,
    /// that of the end does not.
    private static let longestSleep = Duration.seconds(10)

    deinit {
        withLockedMemory { _, guarded in _ = pthread_cond_destroy(&guarded.pointee.condition) }
        Lock.deinitialize(self)
    }

    static func zero() -> AwaitedCount {
        let zero = make { Guarded() }
        zero.withLockedMemory { _, guarded in initialize(&guarded.pointee.condition) }
        return zero
    }

    /// Wakes one waiting thread, or all. It signals after it has released the lock, which the woken thread needs at once.
    func increment(wakingAll isForAll: Bool) {
        let guarded = withLockedMemory { _, guarded in
            guarded.pointee.count += 1
            return guarded
        }
        defer { withExtendedLifetime(self) {} }
        if isForAll {
            pthread_cond_broadcast(&guarded.pointee.condition)
        } else {
            pthread_cond_signal(&guarded.pointee.condition)
        }
    }

    /// Waits until the count is above zero, and takes `number` from it. False if it is not before `end`; nil waits without a
    /// limit.
    func take(_ number: Int, waitingUntil end: TimePoint?) -> Bool {
        if let system = ThreadSystem.current { return system.wait(until: end) { self.takeNow(number) } }
        return withLockedMemory { mutex, guarded in
            while guarded.pointee.count == 0 {
                guard let end else {
                    pthread_cond_wait(&guarded.pointee.condition, mutex)
                    continue
                }
                let left = TimePoint.now.duration(to: end)
                guard left > .zero else { return false }
                Self.sleep(&guarded.pointee.condition, mutex, for: min(left, Self.longestSleep))
            }
            guarded.pointee.count -= number
            return true
        }
    }

    private func takeNow(_ number: Int) -> Bool {
        withLock { guarded in
            guard guarded.count > 0 else { return false }
            guarded.count -= number
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

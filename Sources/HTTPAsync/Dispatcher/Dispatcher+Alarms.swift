import HTTPSupport

/// Time and threads for code that waits without a call.
extension Dispatcher {
    /// Fires `alarm` at `instant`, on a thread that it must not block. If no thread can be started for that, at once:
    /// nothing waits for ever.
    package func set(_ alarm: any Alarm, for instant: TimePoint) { pool.set(alarm, for: instant) }

    /// Runs `work`, which waits for a disk only, on one of a few threads.
    func runOnDisk(_ work: @escaping @Sendable () -> Void) { pool.callbacks.runOnDisk(work) }

    /// Runs `callback`, which may take long, on a thread of its own.
    package func runCallback(_ callback: @escaping @Sendable () -> Void) { pool.callbacks.runAtOnce(callback) }
}

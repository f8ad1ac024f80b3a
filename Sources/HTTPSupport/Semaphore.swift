/// A counting semaphore for threads. It starts at zero; copies share it.
///
/// On Linux that of Dispatch waits by the wall clock, whatever time it is given: when the clock is set back, all timers of a
/// dispatcher would be late.
package struct Semaphore: Sendable {
    private let count = AwaitedCount.zero()

    package init() {}

    package func signal() { count.increment(wakingAll: false) }

    /// Waits for a signal; nil waits without a limit. False if there was none in time.
    @discardableResult
    package func wait(atMost time: Duration? = nil) -> Bool { count.take(1, waitingUntil: time.map { .now + $0 }) }
}

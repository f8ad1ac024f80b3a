/// An event that happens once and that threads can wait for. Copies share it.
package struct Signal: Sendable {
    private let count = AwaitedCount.zero()

    package init() {}

    /// Wakes all waiting threads; later waits return at once.
    package func fire() { count.increment(wakingAll: true) }

    /// Waits until it has fired, or until `end`; nil waits without a limit. Returns whether it has fired.
    package func wait(until end: TimePoint? = nil) -> Bool { count.take(0, waitingUntil: end) }
}

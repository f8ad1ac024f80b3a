import HTTPSupport

/// A joinable thread, because many blocking calls must not occupy the threads that tests run on.
///
/// If the system refuses a thread, the work is not done, and `join` returns at once.
package struct TestThread: Sendable {
    private let done = Signal()

    package init(_ work: @escaping @Sendable () -> Void) {
        let problem = DetachedThread.start(stackBytes: 256 << 10) { [done] in
            work()
            done.fire()
        }
        if problem != 0 { done.fire() }
    }

    package func join() { _ = done.wait() }
}

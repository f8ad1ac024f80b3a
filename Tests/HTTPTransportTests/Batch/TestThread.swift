import Foundation

/// A thread that can be waited for: blocking calls do not belong on the threads that tests run on when there are many.
final class TestThread: Sendable {
    private let done = DispatchSemaphore(value: 0)

    init(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread { [done] in
            work()
            done.signal()
        }
        thread.stackSize = 512 << 10
        thread.start()
    }

    func join() { done.wait() }
}

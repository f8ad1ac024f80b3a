import Foundation
import Synchronization

/// A thread that can be waited for.
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

/// Outcomes from any thread.
final class Locks: Sendable {
    private let list = Mutex<[Bool]>([])

    var values: [Bool] { list.withLock { $0 } }
    func add(_ value: Bool) { list.withLock { $0.append(value) } }
}

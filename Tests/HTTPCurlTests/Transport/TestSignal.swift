import Foundation

/// A one-time event that a thread can wait for.
final class TestSignal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func signal() { semaphore.signal() }
    func wait() { semaphore.wait() }
}

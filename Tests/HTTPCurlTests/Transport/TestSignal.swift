import Foundation

/// A one-time event that a thread can wait for.
final class TestSignal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func signal() { semaphore.signal() }
    /// Not for ever: a test whose event does not happen goes on after half a minute, and fails.
    func wait() { _ = semaphore.wait(timeout: .now() + 30) }
}

import HTTPCore
import HTTPSupport
import HTTPTesting

/// Part of a case on its own thread.
struct ThreadWork: Sendable {
    private let failure = Locked<(any Error)?>(nil)
    private let thread: TestThread

    init(_ work: @escaping @Sendable () throws -> Void) {
        thread = TestThread { [failure] in
            do { try work() } catch { failure.withLock { $0 = error } }
        }
    }

    /// Waits for its end and throws its error.
    func finish() throws {
        thread.join()
        if let error = failure.withLock({ $0 }) { throw error }
    }
}

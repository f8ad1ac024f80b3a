import HTTPSupport
import Synchronization

import HTTPCore

/// A call for an agent, without a dispatcher.
final class SubmittedTestCall: SubmittedCall {
    let request: Request
    private let cancelled = Atomic(false)
    private let outcome = Locked<Result<Response, HTTPError>?>(nil)
    private let told: @Sendable () -> Void

    /// `told` runs on the thread that reports the outcome.
    init(_ request: Request, told: @escaping @Sendable () -> Void = {}) {
        self.request = request
        self.told = told
    }

    var deadline: CallDeadline? { nil }
    var isCancelled: Bool { cancelled.load(ordering: .sequentiallyConsistent) }
    /// Nil before it is over.
    var result: Result<Response, HTTPError>? { outcome.withLock { $0 } }

    func cancel() { cancelled.store(true, ordering: .sequentiallyConsistent) }

    func finish(_ result: consuming Result<Response, HTTPError>) {
        outcome.withLock { [result] in $0 = result }
        told()
    }
}

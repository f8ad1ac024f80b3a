import HTTPSupport
import HTTPAsync
import HTTPCore
import HTTPFutures
import HTTPTesting

/// The ways to make a call.
enum EntryStyle: CaseIterable, Sendable {
    case blocking, awaited, future, callback

    /// Makes a call, which `canceller` can cancel.
    func call(
        _ client: any HTTPClient, _ draft: MutableRequest, _ canceller: Canceller
    ) async -> Result<Response, HTTPError> {
        switch self {
        case .blocking:
            let token = CancellationToken()
            canceller.set(token.cancel)
            return await withCheckedContinuation { continuation in
                _ = TestThread { continuation.resume(returning: token.run { client.executeRequest(draft) }) }
            }
        case .awaited:
            let task = Task { () -> Result<Response, HTTPError> in
                do throws(HTTPError) { return .success(try await client.send(draft)) } catch {
                    return .failure(error)
                }
            }
            canceller.set(task.cancel)
            return await task.value
        case .future:
            let future = client.future(for: draft)
            canceller.set { _ = future.cancel() }
            return await withCheckedContinuation { continuation in
                _ = future.always { continuation.resume(returning: $0) }
            }
        case .callback:
            return await withCheckedContinuation { continuation in
                let call = client.executeRequest(draft, callbackQueue: .immediate) {
                    continuation.resume(returning: $0)
                }
                canceller.set(call.cancel)
            }
        }
    }
}

/// Cancels a call that may not have been made yet.
struct Canceller: Sendable {
    private let cancelCall = Locked<(@Sendable () -> Void)?>(nil)
    private let isSet = Signal()

    func set(_ cancel: @escaping @Sendable () -> Void) {
        cancelCall.withLock { $0 = cancel }
        isSet.fire()
    }

    /// Waits for the call, and cancels it.
    func cancel() {
        _ = isSet.wait()
        let cancel = cancelCall.withLock { $0 }
        cancel?()
    }
}

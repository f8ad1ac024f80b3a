import HTTPCore
import HTTPSupport

/// Carries the head of a response from the receiving thread to the waiting task.
///
/// Only the first head counts; a stream of events has another for each connection.
final class HeadChannel: Sendable {
    private let channel = Channel<ResponseStart>(capacity: 1)
    private let isTold = Locked(false)

    func tell(_ start: ResponseStart) {
        let isFirst = isTold.withLock { isTold in
            defer { isTold = true }
            return !isTold
        }
        // The waiting task may have gone.
        if isFirst { try? channel.send(start) }
    }

    /// There is no head, or it was delivered.
    func finish(_ ending: Result<Void, HTTPError>) { channel.finish(ending) }

    func close() { channel.close() }

    func start(isolation: isolated (any Actor)?) async throws(HTTPError) -> ResponseStart {
        switch await channel.next(isolation: isolation) {
        case .element(let start): return start
        case .end(.failure(let error)): throw error
        case .end(.success): throw .cancelled(nil)
        }
    }
}

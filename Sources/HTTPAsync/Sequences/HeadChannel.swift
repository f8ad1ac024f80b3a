import HTTPCore

/// Brings how a response begins from the thread that receives it to the task that waits for that.
///
/// Only the first one counts: there is another for each connection to a stream of events.
final class HeadChannel: Sendable {
    private let channel = Channel<ResponseStart>(capacity: 1)
    private let isTold = Locked(false)

    func tell(_ start: ResponseStart) {
        let isFirst = isTold.withLock { isTold in
            defer { isTold = true }
            return !isTold
        }
        // Whoever waited may have gone.
        if isFirst { try? channel.send(start) }
    }

    /// There is none, or it has been told.
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

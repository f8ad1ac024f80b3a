import HTTPCore

/// One iteration: the producing call and its channel. The call ends when the iteration is released.
final class Reading<Element: Sendable>: Sendable {
    let channel: Channel<Element>
    private let head: HeadChannel
    private let call: DispatchedCall

    init(_ elements: ResponseElements<Element>) {
        let channel = Channel<Element>(capacity: elements.capacity)
        let head = HeadChannel()
        self.channel = channel
        self.head = head
        let produce = elements.produce
        // Within a call of that dispatcher the new call would run at once, on this thread, and wait for itself.
        let isWithin = WorkerThread.worker?.pool === elements.dispatcher.pool
        let dispatcher = isWithin ? Dispatcher() : elements.dispatcher
        call = dispatcher.submit({ produce(channel, head) }) { ending in
            let ending = ending.mapError(Self.named)
            head.finish(ending)
            channel.finish(ending)
        }
    }

    /// A producer that stopped because its call was cancelled.
    private static func named(_ error: HTTPError) -> HTTPError {
        guard case .body(let failure) = error, failure.underlying is NoConsumer else { return error }
        return .cancelled(failure.record)
    }

    /// Awaits the head of the response.
    func start(isolation: isolated (any Actor)?) async throws(HTTPError) -> ResponseStart {
        try await head.start(isolation: isolation)
    }

    deinit {
        head.close()
        channel.close()
        call.cancel()
    }
}

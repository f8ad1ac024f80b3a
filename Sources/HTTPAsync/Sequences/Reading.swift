import HTTPSupport
import Synchronization

/// One iteration: the producing call and its channel. The call ends when the iteration is released.
final class Reading<Element: Sendable>: Sendable {
    /// One iteration over a response, of which there may be several.
    final class Reader: Sendable {
        private let reading: Reading
        private let hasLeft = Atomic(false)

        init(_ reading: Reading) {
            self.reading = reading
            reading.readers.add(1, ordering: .relaxed)
        }

        deinit { leave() }

        /// Counts it no more. Returns whether others still read.
        @discardableResult
        private func leave() -> Bool {
            if hasLeft.exchange(true, ordering: .relaxed) { return reading.readers.load(ordering: .relaxed) > 0 }
            return reading.readers.subtract(1, ordering: .relaxed).newValue > 0
        }

        /// Cancelling the task ends the call, unless others read, too.
        func next(isolation: isolated (any Actor)?) async -> ChannelItem<Element> {
            // The channel alone would not end it: while the server is silent, nobody asks the channel.
            await reading.channel.next(
                isolation: isolation, isShared: { self.leave() },
                whenClosed: { [reading] in reading.call.cancel() })
        }
    }

    let channel: Channel<Element>
    /// What the call ended with, once it has.
    let outcome = Locked<Result<Response, HTTPError>?>(nil)
    private let readers = Atomic(0)
    /// Carries the head of the response to the waiting task.
    private let head: Channel<ResponseStart>
    private let call: DispatchedCall

    /// `givesHead`: whether the head is for the caller, so that no other response may take the place of its own.
    init(_ elements: ResponseElements<Element>, givingHead givesHead: Bool = false) {
        let channel = Channel<Element>(capacity: elements.capacity)
        let head = Channel<ResponseStart>(capacity: 1)
        self.channel = channel
        self.head = head
        let dispatcher = elements.dispatcher.apart(for: elements.client)
        let delivery = givesHead ? Delivery() : nil
        let tell = { @Sendable (start: ResponseStart) in
            delivery?.note()
            // The waiting task may have gone. Only the first head counts: a stream of events has another for each
            // connection.
            try? head.send(start)
            head.finish(.success(()))
        }
        let report = { @Sendable [outcome] (response: Result<Response, HTTPError>) in
            outcome.withLock { $0 = response }
            let ending = response.map { _ in }
            head.finish(ending)
            channel.finish(ending)
        }
        let draft = elements.draft |> .when(givesHead, .setting(DeliveryKey.self, to: delivery))
        call = dispatcher.read(elements, draft, by: channel, tell, report)
    }

    func start(isolation: isolated (any Actor)?) async throws(HTTPError) -> ResponseStart {
        switch await head.next(isolation: isolation) {
        case .element(let start): return start
        case .end(.failure(let error)): throw error
        case .end(.success): throw .cancelled(nil)
        }
    }

    deinit {
        // A cancellation has closed the channel that the task waited for.
        let isLeft = !channel.isClosed && !head.isClosed
        if isLeft { call.call.noteLeft() }
        head.close()
        channel.close(isLeft: isLeft)
        call.cancel()
    }
}

extension Dispatcher {
    /// Makes the call. A format of one exchange that runs no code of others takes no thread over an event loop.
    fileprivate func read<Element>(
        _ elements: ResponseElements<Element>, _ draft: MutableRequest, by channel: Channel<Element>,
        _ tell: @escaping @Sendable (ResponseStart) -> Void,
        _ report: @escaping @Sendable (Result<Response, HTTPError>) -> Void
    ) -> DispatchedCall {
        let (client, read) = (elements.client, elements.format.read)
        let prompt = elements.format.promptDestination.map { destination in
            draft |> .destination(destination { try channel.pass($0) }.telling(tell).read(by: channel))
        }
        // One that cannot be built is reported by the work.
        if let request = prompt.flatMap({ try? Request($0) }) {
            let call = call(
                client, request,
                to: .report { outcome in
                    let accepted = request.destination.takesRefusals ? outcome : outcome.validated()
                    // A response without a body has not been reported yet.
                    if case .success(let response) = accepted { tell(ResponseStart(response)) }
                    report(accepted)
                })
            return start(call, priority: .normal)
        }
        // Its host does not count: a stream may last for hours.
        let call = transfer(client, draft, atHost: false, to: .report(report)) { client throws(HTTPError) in
            try read(client, draft, tell) { element in try channel.send(element) }
        }
        return start(call, priority: .normal)
    }
}

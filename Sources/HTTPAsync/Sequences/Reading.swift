import HTTPCore
import HTTPTransfers
import Synchronization

/// One iteration: the producing call and its channel. The call ends when the iteration is released.
final class Reading<Element: Sendable>: Sendable {
    /// One iteration over a response, of which there may be several.
    final class Reader: Sendable {
        private let reading: Reading

        init(_ reading: Reading) {
            self.reading = reading
            reading.readers.add(1, ordering: .relaxed)
        }

        deinit { reading.readers.subtract(1, ordering: .relaxed) }

        /// Cancelling the task ends the call, unless others read, too.
        func next(isolation: isolated (any Actor)?) async -> ChannelItem<Element> {
            await reading.channel.next(isolation: isolation) { [reading] in
                reading.readers.load(ordering: .relaxed) > 1
            }
        }
    }

    let channel: Channel<Element>
    private let readers = Atomic(0)
    private let head: HeadChannel
    private let job: Job<ClosureWork<Void>>

    init(_ elements: ResponseElements<Element>) {
        let channel = Channel<Element>(capacity: elements.capacity)
        let head = HeadChannel()
        self.channel = channel
        self.head = head
        let (draft, read) = (elements.draft, elements.format.read)
        // Within a call of that dispatcher the new call would run at once, on this thread, and wait for itself.
        let isWithin = WorkerThread.worker?.pool === elements.dispatcher.serving(elements.client).pool
        let dispatcher = isWithin ? Dispatcher() : elements.dispatcher
        // Its host does not count: a stream may last for hours.
        let report = Completion<Void>.callback(.immediate) { ending in
            head.finish(ending)
            channel.finish(ending)
        }
        let call = dispatcher.transfer(elements.client, draft, atHost: false, to: report) { client throws(HTTPError) in
            try read(client, draft, head.tell) { element in try channel.send(element) }
        }
        job = call.job
        dispatcher.start(call, priority: .normal)
    }

    /// Awaits the head of the response.
    func start(isolation: isolated (any Actor)?) async throws(HTTPError) -> ResponseStart {
        try await head.start(isolation: isolation)
    }

    deinit {
        // A cancellation has closed the channel.
        job.end(isLeft: !channel.isClosed) {
            head.close()
            channel.close()
        }
    }
}

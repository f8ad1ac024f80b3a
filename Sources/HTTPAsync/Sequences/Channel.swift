import HTTPCore

/// What a producer gets when nobody wants its elements any more.
struct NoConsumer: Error {}

/// Carries elements from the thread that receives them to one consumer, who is a task or another thread. It holds a few;
/// when they are not taken the producer waits, and with it the server.
///
/// Who is to be woken is found out under the lock and woken outside it.
final class Channel<Element: Sendable>: Sendable {
    private let state: Locked<ChannelState<Element>>

    /// Holds as many as `capacity` elements, one at least.
    init(capacity: Int) { state = Locked(ChannelState(capacity: max(1, capacity))) }

    /// Hands `element` over; blocks while there is no room. Throws when nobody wants it any more, or the call on this
    /// thread is cancelled.
    func send(_ element: Element) throws(NoConsumer) {
        let token = CancellationToken.current
        var waker: Signal?
        while true {
            switch state.withLock({ [waker] in $0.offer(element, from: waker.map { .thread($0) }) }) {
            case .taken(let consumer): return consumer.take(.element(element))
            case .kept: return
            case .refused: throw NoConsumer()
            case .full:
                guard let signal = waker else {
                    waker = Signal()
                    continue
                }
                let registration = token?.onCancel { signal.fire() }
                _ = signal.wait()
                registration?.remove()
                if token?.isCancelled == true { throw NoConsumer() }
                waker = nil
            }
        }
    }

    /// Hands `element` over, and suspends while there is no room. Throws when nobody wants it any more.
    func sendAwaiting(_ element: Element) async throws(NoConsumer) {
        while true {
            switch state.withLock({ $0.offer(element, from: nil) }) {
            case .taken(let consumer): return consumer.take(.element(element))
            case .kept: return
            case .refused: throw NoConsumer()
            case .full: await room()
            }
        }
    }

    /// Suspends while the channel is full. Only the one who produces asks.
    private func room() async {
        await withUnsafeContinuation { continuation in
            if !state.withLock({ $0.wait(.task(continuation)) }) { continuation.resume() }
        }
    }

    /// Nothing follows but `ending`, behind what is held.
    func finish(_ ending: Result<Void, HTTPError>) {
        for (consumer, item) in state.withLock({ $0.finish(ending) }) { consumer.take(item) }
    }

    /// Nobody takes elements any more: those that are held are dropped, and a consumer who waits is told that it was
    /// cancelled.
    func close() {
        let (producer, consumers) = state.withLock { $0.close() }
        producer?.wake()
        for consumer in consumers { consumer.take(.end(.failure(.cancelled(nil)))) }
    }

    /// The next element, or the end; waits for it without holding a thread. Cancelling the task closes the channel.
    func next(isolation: isolated (any Actor)?) async -> ChannelItem<Element> {
        await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: isolation) { continuation in
                    take { .task(continuation) }
                }
            }, onCancel: { close() }, isolation: isolation)
    }

    /// The next element, or the end; blocks this thread until it is there; nil when `end` comes first, and then nothing
    /// more may be asked for. Cancelling the call on this thread closes the channel.
    func nextBlocking(until end: ContinuousClock.Instant? = nil) -> ChannelItem<Element>? {
        let place = Locked<ChannelItem<Element>?>(nil)
        let signal = Signal()
        let registration = CancellationToken.current?.onCancel { [self] in close() }
        defer { registration?.remove() }
        take { .thread(signal, place) }
        _ = signal.wait(until: end)
        return place.withLock { $0 }
    }

    private func take(_ consumer: () -> ChannelConsumer<Element>) {
        let consumer = consumer()
        let (item, producer) = state.withLock { $0.take(for: consumer) }
        producer?.wake()
        if let item { consumer.take(item) }
    }
}

import HTTPSupport
import Synchronization

/// Thrown to a producer when the consumer has gone.
struct NoConsumer: Error {
    /// The same for the sink of a response: the call is cancelled, and its sink has not failed.
    var fault: ResponseFault { ResponseFault { .cancelled($0) } }
}

/// Carries elements from the receiving thread to one consumer, a task or another thread. It holds a few; when it is
/// full the producer blocks, and flow control stops the server.
///
/// The waiters to resume are determined under the lock and resumed outside it.
final class Channel<Element: Sendable>: Sendable {
    private let state: Locked<ChannelState<Element>>
    /// The number of waits of tasks so far.
    private let waits = Atomic<UInt64>(0)

    /// Creates a channel that holds `capacity` elements, at least one.
    init(capacity: Int) { state = Locked(ChannelState(capacity: max(1, capacity))) }

    /// Adds `element`; blocks while the channel is full. Throws when the consumer has gone, or the call on this thread
    /// is cancelled: `StopReading` if it has left. A call's timeout includes the wait.
    func send(_ element: Element) throws {
        let (token, deadline) = (CancellationToken.current, CallDeadline.current)
        let end = deadline.flatMap { $0.isSimulated ? nil : $0.point }
        var waker: Signal?
        while true {
            switch state.withLock({ [waker] in $0.offer(element, from: waker.map { .thread($0) }) }) {
            case .taken(let consumer): return consumer.take(.element(element))
            case .kept: return
            case .refused: throw Self.end(token)
            case .full:
                guard let signal = waker else {
                    waker = Signal()
                    continue
                }
                let registration = token?.onCancel { signal.fire() }
                let isInTime = signal.wait(until: end)
                registration?.remove()
                if token?.isCancelled == true { throw Self.end(token) }
                guard isInTime else { throw ResponseFault { .timedOut(deadline, $0) } }
                waker = nil
            }
        }
    }

    /// Adds `element` without blocking: on the thread of an event loop, which asks `hasRoom` before each part of a body.
    /// Elsewhere it is `send`.
    func pass(_ element: Element) throws {
        guard ThreadRole.agent != nil else { return try send(element) }
        switch state.withLock({ $0.offer(element, from: nil, isKept: true) }) {
        case .taken(let consumer): consumer.take(.element(element))
        case .kept, .full: return
        case .refused: if isLeft { throw StopReading() } else { throw NoConsumer().fault }
        }
    }

    private static func end(_ token: CancellationToken?) -> any Error {
        token?.isLeft == true ? StopReading() : NoConsumer().fault
    }

    /// Whether the consumer has gone.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Adds `element`; suspends while the channel is full. Throws when the consumer has gone.
    func sendAwaiting(_ element: Element) async throws(NoConsumer) {
        while true {
            switch state.withLock({ $0.offer(element, from: nil) }) {
            case .taken(let consumer): return consumer.take(.element(element))
            case .kept: return
            case .refused: throw NoConsumer()
            case .full:
                await withUnsafeContinuation { continuation in
                    if !state.withLock({ $0.wait(.task(continuation)) }) { continuation.resume() }
                }
            }
        }
    }

    /// Ends the channel with `ending`, after the held elements.
    func finish(_ ending: Result<Void, HTTPError>) {
        for (consumer, item) in state.withLock({ $0.finish(ending) }) { consumer.take(item) }
    }

    /// The consumer has gone: held elements are dropped, and a waiting consumer gets `.cancelled`. `isLeft`: because it
    /// wanted no more.
    func close(isLeft: Bool = false) {
        let (producer, consumers, dropped) = state.withLock { $0.close(isLeft: isLeft) }
        withExtendedLifetime(dropped) {}
        producer?.wake()
        for consumer in consumers { consumer.take(.end(.failure(.cancelled(nil)))) }
    }

    /// The next element, or the end; suspends until there is one. Cancelling the task closes the channel, unless
    /// `isShared` says that other tasks read it, too: then it ends this wait alone, with `.cancelled`. `whenClosed` is
    /// called once it has closed the channel.
    func next(
        isolation: isolated (any Actor)?, isShared: @Sendable () -> Bool = { false },
        whenClosed: @Sendable () -> Void = {}
    ) async -> ChannelItem<Element> {
        let wait = waits.wrappingAdd(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler(
            operation: {
                await withUnsafeContinuation(isolation: isolation) { continuation in
                    take { .task(continuation, wait) }
                    // The handler may have run before there was a wait to end.
                    if Task.isCancelled { end(wait) }
                }
            },
            onCancel: {
                if isShared() { return end(wait) }
                close()
                whenClosed()
            }, isolation: isolation)
    }

    /// The next element, or the end; suspends until there is one, even in a cancelled task.
    func nextUninterrupted(isolation: isolated (any Actor)?) async -> ChannelItem<Element> {
        await withUnsafeContinuation(isolation: isolation) { continuation in take { .task(continuation, 0) } }
    }

    private func end(_ wait: UInt64) {
        state.withLock { $0.remove(wait) }?.take(.end(.failure(.cancelled(nil))))
    }

    /// The next element, or the end; blocks this thread until there is one. Nil when `end` comes first; then it must
    /// not be called again. Cancelling the call on this thread closes the channel.
    func nextBlocking(until end: TimePoint? = nil) -> ChannelItem<Element>? {
        PoolThreadReport.note("a loop over .blocking")
        let place = Locked<ChannelItem<Element>?>(nil)
        let signal = Signal()
        let registration = CancellationToken.current?.onCancel { [self] in close() }
        defer { registration?.remove() }
        take { .thread(signal, place) }
        _ = signal.wait(until: end)
        return place.withLock { $0 }
    }

    /// Whether `nextBlocking` would return at once. If not, `resume` is called, once, when it would. For a sole consumer.
    func hasItem(orCall resume: @escaping @Sendable () -> Void) -> Bool { !state.withLock { $0.wait(resume) } }

    private func take(_ consumer: () -> ChannelConsumer<Element>) {
        let consumer = consumer()
        let (item, producer) = state.withLock { $0.take(for: consumer) }
        producer?.wake()
        if let item { consumer.take(item) }
    }
}

extension Channel: BodyReader {
    var isLeft: Bool { state.withLock { $0.isLeft } }

    func hasRoom(orCall resume: @escaping @Sendable () -> Void) -> Bool {
        !state.withLock { $0.wait(.loop(resume)) }
    }
}

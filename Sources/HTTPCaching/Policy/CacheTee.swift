import HTTPFoundation
import HTTPSupport

/// Sends the body of one exchange both to the caller's destination and to the store.
final class CacheTee: Sendable {
    private struct State {
        var writer: (any CacheWriter)?
        var isInUse = false
        var isWhole = false
    }

    private let request: CacheRequest
    private let store: any CacheStore
    private let clock: CallClock
    private let state = Locked(State())
    private let delivery: Delivery

    /// Nil for a body that goes to memory.
    init?(_ request: CacheRequest, _ store: any CacheStore, clock: CallClock) {
        guard !request.request.destination.isMemory else { return nil }
        (self.request, self.store, self.clock) = (request, store, clock)
        delivery = request.request[DeliveryKey.self] ?? Delivery()
    }

    /// Whether it receives the body.
    var isInUse: Bool { state.withLock { $0.isInUse } }
    /// Whether the caller's stream has had a byte or the head, which cannot be taken back.
    var hasDelivered: Bool { delivery.hasBegun }
    /// Whether it has received the whole body, and the store wants it.
    var isReady: Bool { state.withLock { $0.isWhole && $0.writer != nil } }

    var destination: BodyDestination {
        request.request.destination.noting(delivery).wrapped { [self] start, open in
            // The body of a followed redirect is not delivered, even if the destination takes refusals.
            let isFollowed = RedirectDecision.isFollowedRedirect(
                start.status, start.headers, answering: request.request)
            let sink = isFollowed ? BodySink(write: { _ in }) : try open()
            let writer = isStorable(start) ? store.makeWriter(for: request.key) : nil
            if let length = start.bodyLength { writer?.expect(length) }
            state.withLock { $0 = State(writer: writer, isInUse: true) }
            return BodySink(
                write: { bytes in
                    try sink.write(bytes)
                    writer?.write(bytes)
                },
                finish: { [state] in
                    try sink.finish()
                    state.withLock { $0.isWhole = true }
                },
                abandon: { [state] in
                    sink.abandon()
                    state.withLock { $0.writer = nil }
                })
        }
    }

    private func isStorable(_ start: ResponseStart) -> Bool {
        guard start.bodyLength ?? 0 <= store.largestBody else { return false }
        return Storability.foresees(start.status, start.headers, answering: request, at: clock.unixTime())
    }

    /// Stores the body if it is complete; nil otherwise.
    func finish(_ response: CachedResponse, of flight: CacheFlight?) -> CacheEntry? {
        state.withLock { state in
            defer { state.writer = nil }
            return state.isWhole ? state.writer : nil
        }?.finish(response, of: flight)
    }
}

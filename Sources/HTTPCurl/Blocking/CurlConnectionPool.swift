import HTTPCore

/// Lanes that are not in use, last in first out for each origin, and event loops likewise. Any thread may call it.
final class CurlConnectionPool: Sendable {
    private struct Idle {
        var lanes: IdlePool<CurlTransfer.Key, CurlConnection>
        var loops: IdlePool<LoopKey, CurlEventLoop>

        mutating func removeExpired(at now: TimePoint) -> ([CurlConnection], [CurlEventLoop]) {
            (lanes.removeExpired(at: now), loops.removeExpired(at: now))
        }
    }

    /// Any loop serves any call.
    private enum LoopKey { case any }

    private let configuration: CurlConfiguration
    private let headerLists: CurlHeaderLists
    private let floodWatch = FloodWatch()
    private let idle: Locked<Idle>

    init(_ configuration: CurlConfiguration) {
        self.configuration = configuration
        headerLists = CurlHeaderLists(userAgent: configuration.userAgent)
        let pool = configuration.pool
        idle = Locked(Idle(lanes: IdlePool(pool), loops: IdlePool(pool, mostOfKey: .max)))
    }

    // What has expired is let go of outside the lock: freeing a lane or a loop closes connections.

    /// An idle lane for `key`, or a new one.
    func checkOut(_ key: CurlTransfer.Key, at now: TimePoint) throws(Unsupported) -> CurlConnection {
        let (lane, expired) = idle.withLock { ($0.lanes.take(key), $0.removeExpired(at: now)) }
        withExtendedLifetime(expired) {}
        return if let lane { lane } else { try CurlConnection(key, configuration, headerLists, floodWatch) }
    }

    /// A child that was forked while the lane was in use has no part in it, nor in this pool.
    func checkIn(_ lane: CurlConnection) {
        guard !lane.transfer.isOfAncestor else { return }
        let now = TimePoint.now
        let surplus = idle.withLock { $0.lanes.put(lane, under: lane.key, at: now) }
        withExtendedLifetime(surplus) {}
    }

    /// The event loop that was used last, or a new one.
    func checkOutLoop(at now: TimePoint) throws(Unsupported) -> CurlEventLoop {
        // One that has been idle for too long has connections that have been.
        let (expired, loop) = idle.withLock { ($0.removeExpired(at: now), $0.loops.take(.any)) }
        withExtendedLifetime(expired) {}
        return if let loop { loop } else { try CurlEventLoop(configuration, headerLists, floodWatch) }
    }

    func checkIn(_ loop: CurlEventLoop) {
        guard !loop.multi.isOfAncestor else { return }
        let now = TimePoint.now
        let weight = max(1, loop.connections.weight)
        let surplus = idle.withLock { $0.loops.put(loop, weight: weight, under: .any, at: now) }
        withExtendedLifetime(surplus) {}
    }
}

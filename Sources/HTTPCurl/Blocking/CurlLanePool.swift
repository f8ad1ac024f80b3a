import HTTPCore

/// Lanes that are not in use, last in first out for each origin, and event loops likewise. Any thread may call it.
final class CurlLanePool: Sendable {
    private struct Shelves {
        var lanes: LaneShelf<CurlTransfer.Key, CurlLane>
        var loops: HubShelf<CurlEventLoop>
    }

    private let configuration: CurlConfiguration
    private let headerLists: CurlHeaderLists
    private let floodWatch = FloodWatch()
    private let shelves: Locked<Shelves>

    init(_ configuration: CurlConfiguration) {
        self.configuration = configuration
        headerLists = CurlHeaderLists(userAgent: configuration.userAgent)
        shelves = Locked(Shelves(lanes: LaneShelf(configuration.pool), loops: HubShelf(configuration.pool)))
    }

    // What has expired is let go of outside the lock: freeing a lane or a loop closes connections.

    /// An idle lane for `key`, or a new one.
    func checkOut(_ key: CurlTransfer.Key, at now: TimePoint) throws(Unsupported) -> CurlLane {
        let (lane, expired) = shelves.withLock { shelves in
            (shelves.lanes.take(key), (shelves.lanes.removeExpired(at: now), shelves.loops.removeExpired(at: now)))
        }
        withExtendedLifetime(expired) {}
        return if let lane { lane } else { try CurlLane(key, configuration, headerLists, floodWatch) }
    }

    /// A child that was forked while the lane was in use has no part in it, nor in this pool.
    func checkIn(_ lane: CurlLane) {
        guard !lane.transfer.isOfAncestor else { return }
        let now = TimePoint.now
        let surplus = shelves.withLock { $0.lanes.put(lane, under: lane.key, at: now) }
        withExtendedLifetime(surplus) {}
    }

    /// The event loop that was used last, or a new one.
    func checkOutLoop(at now: TimePoint) throws(Unsupported) -> CurlEventLoop {
        let (loop, expired) = shelves.withLock { shelves in
            let expired = (shelves.lanes.removeExpired(at: now), shelves.loops.removeExpired(at: now))
            return (shelves.loops.take(), expired)
        }
        withExtendedLifetime(expired) {}
        return if let loop { loop } else { try CurlEventLoop(configuration, headerLists, floodWatch) }
    }

    func checkIn(_ loop: CurlEventLoop) {
        guard !loop.multi.isOfAncestor else { return }
        let now = TimePoint.now
        let surplus = shelves.withLock { $0.loops.put(loop, connections: loop.connections.weight, at: now) }
        withExtendedLifetime(surplus) {}
    }
}

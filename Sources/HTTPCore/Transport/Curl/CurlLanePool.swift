#if canImport(CLibcurl)

/// Lanes that are not in use, last in first out for each origin. Any thread may call it.
final class CurlLanePool: Sendable {
    private let configuration: CurlConfiguration
    private let shelf: Locked<LaneShelf<CurlLane.Key, CurlLane>>

    init(_ configuration: CurlConfiguration) {
        self.configuration = configuration
        shelf = Locked(LaneShelf(configuration.pool))
    }

    /// An idle lane for `key`, or a new one.
    func checkOut(_ key: CurlLane.Key, at now: ContinuousClock.Instant) throws(Unsupported) -> CurlLane {
        // What has expired is let go of outside the lock: freeing a lane closes connections.
        let (lane, expired) = shelf.withLock { ($0.take(key), $0.removeExpired(at: now)) }
        withExtendedLifetime(expired) {}
        return if let lane { lane } else { try CurlLane(key, configuration) }
    }

    func checkIn(_ lane: CurlLane) {
        let now = ContinuousClock.now
        let surplus = shelf.withLock { $0.put(lane, under: lane.key, at: now) }
        withExtendedLifetime(surplus) {}
    }
}
#endif

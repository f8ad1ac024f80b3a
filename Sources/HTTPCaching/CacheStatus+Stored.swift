extension CacheStatus {
    /// The server's own response.
    static func forwarded(_ forward: Forward, stored: CachedResponse? = nil, at now: Double = 0, detail: String? = nil)
        -> CacheStatus
    {
        CacheStatus(
            forward: forward, isStored: stored != nil,
            timeToLive: stored.flatMap { seconds($0.freshness.timeLeft(at: now)) }, detail: detail)
    }

    /// The stored response: confirmed by the server's `status` or used in place of it; a hit if nothing was sent.
    static func fromStore(
        _ stored: CachedResponse, _ forward: Forward? = nil, _ status: HTTPStatus? = nil, at now: Double,
        isStored: Bool = false, isCollapsed: Bool = false, detail: String? = nil
    ) -> CacheStatus {
        CacheStatus(
            forward: forward, forwardStatus: status, isStored: isStored, isCollapsed: isCollapsed, isFromStore: true,
            timeToLive: seconds(stored.freshness.timeLeft(at: now)),
            // A 304 with an Age comes from another cache.
            age: status == .notModified && !stored.headers.contains("Age")
                ? nil : seconds(max(0, stored.freshness.age(at: now) ?? 0)),
            storedMetrics: stored.metrics, detail: detail)
    }

    /// Nil for one that is out of range: the times of a file may be any.
    private static func seconds(_ time: Double) -> Duration? {
        Int64(exactly: time.rounded(.down)).map { .seconds($0) }
    }
}

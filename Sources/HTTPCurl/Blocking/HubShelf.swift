import HTTPCore

/// Things that keep several connections each, of which the last one put there is the first one taken. All of them
/// together keep no more connections than a pool may, and none for longer. A value: it frees nothing itself.
struct HubShelf<Item> {
    private struct Entry {
        let item: Item
        let connections: Int
        let since: TimePoint
    }

    private let limits: PoolConfiguration
    private let idleTime: TimeSpan
    /// The oldest first.
    private var entries: [Entry] = []

    init(_ limits: PoolConfiguration) {
        self.limits = limits
        idleTime = TimeSpan(limits.idleTime)
    }

    /// The item last put there.
    mutating func take() -> Item? { entries.popLast()?.item }

    /// Keeps `item`, which has so many connections at most, and returns what there is no room for.
    mutating func put(_ item: Item, connections: Int, at now: TimePoint) -> [Item] {
        guard limits.idlePerOrigin > 0, idleTime > .zero else { return [item] }
        var surplus = removeExpired(at: now)
        entries.append(Entry(item: item, connections: max(1, connections), since: now))
        var total = entries.reduce(0) { $0 + $1.connections }
        while total > limits.idleInAll, !entries.isEmpty {
            let oldest = entries.removeFirst()
            total -= oldest.connections
            surplus.append(oldest.item)
        }
        return surplus
    }

    /// Removes what was kept longer than allowed.
    mutating func removeExpired(at now: TimePoint) -> [Item] {
        let count = entries.prefix { $0.since.advanced(by: idleTime) <= now }.count
        guard count > 0 else { return [] }
        defer { entries.removeFirst(count) }
        return entries.prefix(count).map(\.item)
    }
}

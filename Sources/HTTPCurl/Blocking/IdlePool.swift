import HTTPSupport

/// Items kept for a limited time under a key. The last item added is the first taken; expired and surplus items are
/// returned to the caller, to be released. A value: it neither locks nor frees.
struct IdlePool<Key: Hashable, Item> {
    private struct Entry {
        let item: Item
        let weight: Int
        let since: TimePoint
        /// Numbered over all keys: the lower, the older.
        let number: Int
    }

    private let mostOfKey: Int
    private let mostInAll: Int
    private let idleTime: TimeSpan
    /// The oldest first. An empty entry is kept for a while, because a key is often used again.
    private var entries: [Key: [Entry]] = [:]
    /// The total weight of the items.
    private(set) var weight = 0
    private var puts = 0
    /// No item expires before then.
    private var nextExpiry: TimePoint?

    /// `mostOfKey`: the largest number of items for one key.
    init(_ limits: PoolConfiguration, mostOfKey: Int? = nil) {
        self.mostOfKey = limits.idlePerOrigin > 0 ? mostOfKey ?? limits.idlePerOrigin : 0
        // The sum of two weights must not overflow, in 32 bits either.
        mostInAll = min(limits.idleInAll, 1 << 29)
        idleTime = TimeSpan(limits.idleTime)
    }

    /// The number of known keys, including those without items.
    var keyCount: Int { entries.count }

    /// The last item added for `key`.
    mutating func take(_ key: Key) -> Item? {
        guard let entry = entries[key]?.popLast() else { return nil }
        weight -= entry.weight
        return entry.item
    }

    /// Adds `item` and returns the items to release.
    mutating func put(_ item: Item, weight: Int = 1, under key: Key, at now: TimePoint) -> [Item] {
        guard mostOfKey > 0, mostInAll > 0, idleTime > .zero else { return [item] }
        var surplus = removeExpired(at: now)
        puts += 1
        let weight = min(weight, mostInAll)
        self.weight += weight
        let entry = Entry(item: item, weight: weight, since: now, number: puts)
        if Self.append(entry, to: &entries[key, default: []]) > mostOfKey { surplus += removeOldest(of: key) }
        while self.weight > mostInAll, let key = keyOfOldest { surplus += removeOldest(of: key) }
        if nextExpiry == nil { nextExpiry = now.advanced(by: idleTime) }
        if entries.count / 2 - 32 > mostInAll { entries = entries.filter { !$0.value.isEmpty } }
        return surplus
    }

    /// Removes and returns all items.
    mutating func removeAll() -> [Item] {
        defer { (entries, weight, nextExpiry) = ([:], 0, nil) }
        return entries.values.flatMap { $0.map(\.item) }
    }

    /// Removes and returns expired items.
    mutating func removeExpired(at now: TimePoint) -> [Item] {
        guard let due = nextExpiry, due <= now else { return [] }
        var expired: [Item] = []
        while let key = keyOfOldest, let oldest = entries[key]?.first {
            nextExpiry = oldest.since.advanced(by: idleTime)
            guard oldest.since.advanced(by: idleTime) <= now else { return expired }
            expired += removeOldest(of: key)
        }
        nextExpiry = nil
        return expired
    }

    /// Returns the new count. A function, so that the key is looked up once.
    private static func append(_ entry: Entry, to list: inout [Entry]) -> Int {
        list.append(entry)
        return list.count
    }

    private var keyOfOldest: Key? {
        // Empty entries come last.
        let oldest = entries.min { ($0.value.first?.number ?? .max) < ($1.value.first?.number ?? .max) }
        return oldest.flatMap { $0.value.isEmpty ? nil : $0.key }
    }

    private mutating func removeOldest(of key: Key) -> [Item] {
        guard let entry = entries[key]?.removeFirst() else { return [] }
        weight -= entry.weight
        return [entry.item]
    }
}

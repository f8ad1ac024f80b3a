import HTTPCore

/// Things kept for a while under a key: the last one put there is the first one taken, and what is too old or too much
/// is handed back to be let go of. A value: it locks nothing and frees nothing itself.
struct IdlePool<Key: Hashable, Item> {
    private struct Entry {
        let item: Item
        let weight: Int
        let since: TimePoint
        /// Counted over all keys: the lower, the older.
        let number: Int
    }

    private let mostOfKey: Int
    private let mostInAll: Int
    private let idleTime: TimeSpan
    /// The oldest first. What is empty stays for a while: a key that was used comes back more often than not.
    private var entries: [Key: [Entry]] = [:]
    /// What the items weigh in all.
    private(set) var weight = 0
    private var puts = 0
    /// Nothing is too old before then.
    private var nextExpiry: TimePoint?

    /// `mostOfKey`: how many items are kept under one key, if any are.
    init(_ limits: PoolConfiguration, mostOfKey: Int? = nil) {
        self.mostOfKey = limits.idlePerOrigin > 0 ? mostOfKey ?? limits.idlePerOrigin : 0
        mostInAll = limits.idleInAll
        idleTime = TimeSpan(limits.idleTime)
    }

    /// How many keys are known, those under which nothing is kept included.
    var keyCount: Int { entries.count }

    /// The item last put under `key`.
    mutating func take(_ key: Key) -> Item? {
        guard let entry = entries[key]?.popLast() else { return nil }
        weight -= entry.weight
        return entry.item
    }

    /// Keeps `item` and returns what there is no room for.
    mutating func put(_ item: Item, weight: Int = 1, under key: Key, at now: TimePoint) -> [Item] {
        guard mostOfKey > 0, mostInAll > 0, idleTime > .zero else { return [item] }
        var surplus = removeExpired(at: now)
        puts += 1
        self.weight += weight
        let entry = Entry(item: item, weight: weight, since: now, number: puts)
        if Self.append(entry, to: &entries[key, default: []]) > mostOfKey { surplus += removeOldest(of: key) }
        while self.weight > mostInAll, let key = keyOfOldest { surplus += removeOldest(of: key) }
        if nextExpiry == nil { nextExpiry = now.advanced(by: idleTime) }
        if entries.count / 2 - 32 > mostInAll { entries = entries.filter { !$0.value.isEmpty } }
        return surplus
    }

    /// Removes what was kept longer than allowed.
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

    /// Returns how many there are then. A function, so that the key is looked up once.
    private static func append(_ entry: Entry, to list: inout [Entry]) -> Int {
        list.append(entry)
        return list.count
    }

    private var keyOfOldest: Key? {
        // One that is empty comes last.
        let oldest = entries.min { ($0.value.first?.number ?? .max) < ($1.value.first?.number ?? .max) }
        return oldest.flatMap { $0.value.isEmpty ? nil : $0.key }
    }

    private mutating func removeOldest(of key: Key) -> [Item] {
        guard let entry = entries[key]?.removeFirst() else { return [] }
        weight -= entry.weight
        return [entry.item]
    }
}

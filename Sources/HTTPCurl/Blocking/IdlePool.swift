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

    private struct Lane {
        let key: Key
        /// The oldest first.
        var entries: [Entry] = []
    }

    private let mostOfKey: Int
    private let mostInAll: Int
    private let idleTime: TimeSpan
    /// An empty one is kept for a while, because a key is often used again.
    private var lanes: [Lane] = []
    private var places: [Key: Int] = [:]
    /// The place of the key that was looked up last. Mostly it is that of the next, too, which need not be hashed then.
    private var last = 0
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
    var keyCount: Int { lanes.count }

    /// The last item added for `key`.
    mutating func take(_ key: Key) -> Item? {
        guard let place = place(of: key), let entry = lanes[place].entries.popLast() else { return nil }
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
        let place = place(of: key) ?? addLane(key)
        lanes[place].entries.append(entry)
        if lanes[place].entries.count > mostOfKey { surplus.append(removeOldest(at: place)) }
        while self.weight > mostInAll, let place = placeOfOldest { surplus.append(removeOldest(at: place)) }
        if nextExpiry == nil { nextExpiry = now.advanced(by: idleTime) }
        if lanes.count / 2 - 32 > mostInAll { keepLanes { !$0.entries.isEmpty } }
        return surplus
    }

    mutating func removeAll() -> [Item] {
        let items = lanes.flatMap { $0.entries.map(\.item) }
        keepLanes { _ in false }
        (weight, nextExpiry) = (0, nil)
        return items
    }

    mutating func removeExpired(at now: TimePoint) -> [Item] {
        guard let due = nextExpiry, due <= now else { return [] }
        var expired: [Item] = []
        while let place = placeOfOldest {
            let expiry = lanes[place].entries[0].since.advanced(by: idleTime)
            nextExpiry = expiry
            guard expiry <= now else { return expired }
            expired.append(removeOldest(at: place))
        }
        nextExpiry = nil
        return expired
    }

    private mutating func place(of key: Key) -> Int? {
        if last < lanes.count, lanes[last].key == key { return last }
        guard let place = places[key] else { return nil }
        last = place
        return place
    }

    private mutating func addLane(_ key: Key) -> Int {
        last = lanes.count
        lanes.append(Lane(key: key))
        places[key] = last
        return last
    }

    private mutating func keepLanes(where isKept: (Lane) -> Bool) {
        let kept = lanes.filter(isKept)
        (lanes, places, last) = ([], [:], 0)
        for lane in kept { lanes[addLane(lane.key)] = lane }
    }

    /// Nil if there are no entries.
    private var placeOfOldest: Int? {
        lanes.indices.lazy.filter { !lanes[$0].entries.isEmpty }
            .min { lanes[$0].entries[0].number < lanes[$1].entries[0].number }
    }

    /// There is one.
    private mutating func removeOldest(at place: Int) -> Item {
        let entry = lanes[place].entries.removeFirst()
        weight -= entry.weight
        return entry.item
    }
}

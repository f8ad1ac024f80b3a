/// Things kept for a while under a key: the last one put there is the first one taken, and what is too old or too much
/// is handed back to be let go of. Each operation costs the same however much is kept. A value: it locks nothing and
/// frees nothing itself.
struct LaneShelf<Key: Hashable, Item> {
    /// A place on the shelf, linked into its key's stack and into the order of age. Free places are kept for reuse.
    private struct Slot {
        let key: Key
        let item: Item
        let since: ContinuousClock.Instant
        var above: Int?
        var below: Int?
        var newer: Int?
        var older: Int?
    }

    private struct Stack {
        var top: Int
        var bottom: Int
        var count: Int
    }

    private let limits: PoolConfiguration
    private var slots: [Slot?] = []
    private var freeSlots: [Int] = []
    private var stacks: [Key: Stack] = [:]
    private var newest: Int?
    private var oldest: Int?
    private(set) var count = 0
    /// How many places there are, free ones included.
    var placeCount: Int { slots.count }

    init(_ limits: PoolConfiguration) { self.limits = limits }

    /// The item last put under `key`.
    mutating func take(_ key: Key) -> Item? { stacks[key].flatMap { remove($0.top) } }

    /// Keeps `item` and returns what there is no room for.
    mutating func put(_ item: Item, under key: Key, at now: ContinuousClock.Instant) -> [Item] {
        guard limits.idlePerOrigin > 0, limits.idleInAll > 0 else { return [item] }
        insert(Slot(key: key, item: item, since: now, below: stacks[key]?.top, older: newest))
        var surplus = removeExpired(at: now)
        if let stack = stacks[key], stack.count > limits.idlePerOrigin, let item = remove(stack.bottom) {
            surplus.append(item)
        }
        while count > limits.idleInAll, let item = oldest.flatMap({ remove($0) }) { surplus.append(item) }
        return surplus
    }

    /// Removes what was kept longer than allowed.
    mutating func removeExpired(at now: ContinuousClock.Instant) -> [Item] {
        var expired: [Item] = []
        while let place = oldest, let slot = slots[place], slot.since + limits.idleTime <= now,
            let item = remove(place)
        {
            expired.append(item)
        }
        return expired
    }

    private mutating func insert(_ slot: Slot) {
        let place = freeSlots.popLast() ?? slots.count
        if place == slots.count { slots.append(slot) } else { slots[place] = slot }
        if let below = slot.below { slots[below]?.above = place }
        if let older = slot.older { slots[older]?.newer = place }
        newest = place
        if oldest == nil { oldest = place }
        let stack = stacks[slot.key]
        stacks[slot.key] = Stack(top: place, bottom: stack?.bottom ?? place, count: (stack?.count ?? 0) + 1)
        count += 1
    }

    private mutating func remove(_ place: Int) -> Item? {
        guard let slot = slots[place] else { return nil }
        if let above = slot.above { slots[above]?.below = slot.below }
        if let below = slot.below { slots[below]?.above = slot.above }
        if let newer = slot.newer { slots[newer]?.older = slot.older } else { newest = slot.older }
        if let older = slot.older { slots[older]?.newer = slot.newer } else { oldest = slot.newer }
        if var stack = stacks[slot.key] {
            stack.count -= 1
            if stack.top == place { stack.top = slot.below ?? stack.top }
            if stack.bottom == place { stack.bottom = slot.above ?? stack.bottom }
            stacks[slot.key] = stack.count > 0 ? stack : nil
        }
        slots[place] = nil
        freeSlots.append(place)
        count -= 1
        return slot.item
    }
}

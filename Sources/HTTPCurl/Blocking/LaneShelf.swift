import HTTPCore

/// Things kept for a while under a key: the last one put there is the first one taken, and what is too old or too much
/// is handed back to be let go of. Each operation costs the same however much is kept. A value: it locks nothing and
/// frees nothing itself.
struct LaneShelf<Key: Hashable, Item> {
    private let limits: PoolConfiguration
    private let idleTime: TimeSpan
    /// An empty stack stays for a while: a key that was used comes back more often than not.
    private var stacks: [ShelfStack<Key>] = []
    /// Where each key's stack is. Empty while one key is all there is: to make the first dictionary of its kind takes
    /// longer than all the rest of a program that makes one call.
    private var indices: [Key: Int] = [:]
    /// Where the stack is that was looked for last: mostly it is looked for again.
    private var found = 0
    private var places: [ShelfPlace<Item>] = []
    private var freePlaces: [Int] = []
    private var newest = ShelfLinks.none
    private var oldest = ShelfLinks.none
    private(set) var count = 0
    /// How many places there are, free ones included.
    var placeCount: Int { places.count }

    init(_ limits: PoolConfiguration) {
        self.limits = limits
        idleTime = TimeSpan(limits.idleTime)
    }

    /// The item last put under `key`.
    mutating func take(_ key: Key) -> Item? {
        guard let index = index(of: key), stacks[index].count > 0 else { return nil }
        return remove(stacks[index].top)
    }

    /// Keeps `item` and returns what there is no room for.
    mutating func put(_ item: Item, under key: Key, at now: TimePoint) -> [Item] {
        guard limits.idlePerOrigin > 0, limits.idleInAll > 0, idleTime > .zero else { return [item] }
        forgetEmptyStacks()
        var surplus = removeExpired(at: now)
        let index = index(of: key) ?? addStack(under: key)
        insert(item, intoStackAt: index, at: now)
        if stacks[index].count > limits.idlePerOrigin { surplus += removed(stacks[index].bottom) }
        if count > limits.idleInAll { surplus += removed(oldest) }
        return surplus
    }

    /// Removes what was kept longer than allowed.
    mutating func removeExpired(at now: TimePoint) -> [Item] {
        var expired: [Item] = []
        while oldest != ShelfLinks.none, places[oldest].links.since.advanced(by: idleTime) <= now {
            expired += removed(oldest)
        }
        return expired
    }

    // MARK: Places

    private mutating func insert(_ item: Item, intoStackAt index: Int, at now: TimePoint) {
        let place = freePlace()
        let below = stacks[index].top
        places[place] = ShelfPlace(item: item, links: ShelfLinks(since: now, stack: index, below: below, older: newest))
        if below != ShelfLinks.none { places[below].links.above = place } else { stacks[index].bottom = place }
        if newest != ShelfLinks.none { places[newest].links.newer = place } else { oldest = place }
        stacks[index].top = place
        stacks[index].count += 1
        newest = place
        count += 1
    }

    private mutating func freePlace() -> Int {
        if let place = freePlaces.popLast() { return place }
        let links = ShelfLinks(since: .now, stack: 0, below: ShelfLinks.none, older: ShelfLinks.none)
        places.append(ShelfPlace(item: nil, links: links))
        return places.count - 1
    }

    private mutating func remove(_ place: Int) -> Item? {
        let link = places[place].links
        if link.above != ShelfLinks.none {
            places[link.above].links.below = link.below
        } else {
            stacks[link.stack].top = link.below
        }
        if link.below != ShelfLinks.none {
            places[link.below].links.above = link.above
        } else {
            stacks[link.stack].bottom = link.above
        }
        if link.newer != ShelfLinks.none { places[link.newer].links.older = link.older } else { newest = link.older }
        if link.older != ShelfLinks.none { places[link.older].links.newer = link.newer } else { oldest = link.newer }
        stacks[link.stack].count -= 1
        count -= 1
        freePlaces.append(place)
        return places[place].item.take()
    }

    private mutating func removed(_ place: Int) -> [Item] {
        remove(place).map { [$0] } ?? []
    }

    // MARK: Stacks

    private mutating func index(of key: Key) -> Int? {
        if found < stacks.count, stacks[found].key == key { return found }
        guard let index = indices[key] else { return nil }
        found = index
        return index
    }

    private mutating func addStack(under key: Key) -> Int {
        found = stacks.count
        stacks.append(ShelfStack(key: key))
        if found > 0 {
            if indices.isEmpty { indices[stacks[0].key] = 0 }
            indices[key] = found
        }
        return found
    }

    /// No more stacks than twice the items there may be, so that a program that goes from host to host does not gather
    /// them.
    private mutating func forgetEmptyStacks() {
        guard stacks.count / 2 - 32 > limits.idleInAll else { return }
        stacks.removeAll { $0.count == 0 }
        indices = Dictionary(uniqueKeysWithValues: stacks.enumerated().map { ($1.key, $0) })
        found = 0
        for index in stacks.indices {
            var place = stacks[index].top
            while place != ShelfLinks.none {
                places[place].links.stack = index
                place = places[place].links.below
            }
        }
    }
}

/// The places of one key, by number.
private struct ShelfStack<Key> {
    let key: Key
    var top = ShelfLinks.none
    var bottom = ShelfLinks.none
    var count = 0
}

/// A place and what lies there; nil at a free one.
private struct ShelfPlace<Item> {
    var item: Item?
    var links: ShelfLinks
}

/// The stack that a place belongs to, and its neighbors, in that and in the order of age.
private struct ShelfLinks {
    static let none = -1

    let since: TimePoint
    var stack: Int
    var above = none
    var below: Int
    var newer = none
    var older: Int
}

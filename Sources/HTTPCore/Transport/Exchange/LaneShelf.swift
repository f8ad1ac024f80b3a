/// Things kept for a while under a key: the last one put there is the first one taken, and what is too old or too much
/// is handed back to be let go of. Each operation costs the same however much is kept. A value: it locks nothing and
/// frees nothing itself.
struct LaneShelf<Key: Hashable, Item> {
    private let limits: PoolConfiguration
    /// An empty stack stays for a while: a key that was used comes back more often than not.
    private var stacks: [ShelfStack] = []
    /// Where each key's stack is. Empty while one key is all there is, which is then the one that was found: to make the
    /// first dictionary of its kind takes longer than all the rest of a program that makes one call.
    private var indices: [Key: Int] = [:]
    /// Where the stack is that was looked for last: mostly it is looked for again.
    private var found: (key: Key, index: Int)?
    /// What lies at each place and under which key; nil at the free ones.
    private var items: [Item?] = []
    private var keys: [Key?] = []
    private var links: [ShelfLinks] = []
    private var freePlaces: [Int] = []
    private var newest = ShelfLinks.none
    private var oldest = ShelfLinks.none
    private(set) var count = 0
    /// How many places there are, free ones included.
    var placeCount: Int { links.count }

    init(_ limits: PoolConfiguration) { self.limits = limits }

    /// The item last put under `key`.
    mutating func take(_ key: Key) -> Item? {
        guard let index = index(of: key), stacks[index].count > 0 else { return nil }
        return remove(stacks[index].top, fromStackAt: index)
    }

    /// Keeps `item` and returns what there is no room for.
    mutating func put(_ item: Item, under key: Key, at now: TimePoint) -> [Item] {
        guard limits.idlePerOrigin > 0, limits.idleInAll > 0, limits.idleTime > .zero else { return [item] }
        forgetEmptyStacks()
        var surplus = removeExpired(at: now)
        if insert(item, under: key, at: now) > limits.idlePerOrigin { surplus += removeBottom(of: key) }
        if count > limits.idleInAll { surplus += removeOldest() }
        return surplus
    }

    /// Removes what was kept longer than allowed.
    mutating func removeExpired(at now: TimePoint) -> [Item] {
        var expired: [Item] = []
        while oldest != ShelfLinks.none, links[oldest].since + limits.idleTime <= now { expired += removeOldest() }
        return expired
    }

    // MARK: Steps

    /// The number of items under the key after that.
    private mutating func insert(_ item: Item, under key: Key, at now: TimePoint) -> Int {
        let place = freePlace()
        let index = index(of: key)
        var stack = index.map { stacks[$0] } ?? ShelfStack()
        items[place] = item
        keys[place] = key
        links[place] = ShelfLinks(since: now, below: stack.top, older: newest)
        if stack.top != ShelfLinks.none { links[stack.top].above = place } else { stack.bottom = place }
        if newest != ShelfLinks.none { links[newest].newer = place } else { oldest = place }
        stack.top = place
        stack.count += 1
        newest = place
        count += 1
        // By its index, a stack that is there is found without hashing the key again.
        if let index { stacks[index] = stack } else { add(stack, under: key) }
        return stack.count
    }

    private mutating func index(of key: Key) -> Int? {
        if let found, found.key == key { return found.index }
        guard let index = indices[key] else { return nil }
        found = (key, index)
        return index
    }

    private mutating func add(_ stack: ShelfStack, under key: Key) {
        let index = stacks.count
        stacks.append(stack)
        if index > 0 {
            if indices.isEmpty, let found { indices[found.key] = found.index }
            indices[key] = index
        }
        found = (key, index)
    }

    private mutating func freePlace() -> Int {
        if let place = freePlaces.popLast() { return place }
        items.append(nil)
        keys.append(nil)
        links.append(ShelfLinks(since: .now, below: ShelfLinks.none, older: ShelfLinks.none))
        return links.count - 1
    }

    private mutating func remove(_ place: Int, fromStackAt index: Int) -> Item? {
        var stack = stacks[index]
        let link = links[place]
        if link.above != ShelfLinks.none { links[link.above].below = link.below } else { stack.top = link.below }
        if link.below != ShelfLinks.none { links[link.below].above = link.above } else { stack.bottom = link.above }
        if link.newer != ShelfLinks.none { links[link.newer].older = link.older } else { newest = link.older }
        if link.older != ShelfLinks.none { links[link.older].newer = link.newer } else { oldest = link.newer }
        stack.count -= 1
        stacks[index] = stack
        count -= 1
        freePlaces.append(place)
        keys[place] = nil
        defer { items[place] = nil }
        return items[place]
    }

    private mutating func removeBottom(of key: Key) -> [Item] {
        guard let index = index(of: key), stacks[index].count > 0,
            let item = remove(stacks[index].bottom, fromStackAt: index)
        else { return [] }
        return [item]
    }

    /// The oldest of all is the bottom of its own stack.
    private mutating func removeOldest() -> [Item] {
        guard oldest != ShelfLinks.none, let key = keys[oldest] else { return [] }
        return removeBottom(of: key)
    }

    /// No more stacks than twice the items there may be, so that a program that goes from host to host does not gather
    /// them.
    private mutating func forgetEmptyStacks() {
        guard stacks.count / 2 - 32 > limits.idleInAll else { return }
        let kept = indices.filter { stacks[$0.value].count > 0 }
        found = nil
        stacks = kept.values.map { stacks[$0] }
        indices = Dictionary(uniqueKeysWithValues: zip(kept.keys, stacks.indices))
    }
}

/// The places of one key, by number.
private struct ShelfStack {
    var top = ShelfLinks.none
    var bottom = ShelfLinks.none
    var count = 0
}

/// The neighbors of a place, in its key's stack and in the order of age.
private struct ShelfLinks {
    static let none = -1

    let since: TimePoint
    var above = none
    var below: Int
    var newer = none
    var older: Int
}

import HTTPFoundation
import HTTPSupport
import Synchronization

/// Responses in memory, bounded in bytes. The least recently used are evicted first.
///
/// URLs are spread over shards with a lock each, so that hits of many threads do not wait for each other. The variants
/// of one URL are kept and evicted together.
final class MemoryCacheStore: CacheStore {
    private static let shardCount = 16
    /// The maximum number of variants of one URL. A server may vary by any field.
    static let mostVariants = 32

    let capacity: Int
    let largestBody: Int64
    private let byteCount = Atomic<Int>(0)
    private let shards: [Locked<Shard>]

    init(capacity: Int) {
        self.capacity = max(0, capacity)
        largestBody = Int64(self.capacity / 4)
        shards = (0..<Self.shardCount).map { _ in Locked(Shard()) }
    }

    var isImmediate: Bool { true }
    var problem: String? { nil }
    /// The size of all entries and of the bodies that are being received, in bytes.
    var bytesInUse: Int { byteCount.load(ordering: .relaxed) }

    private func shard(of key: CacheKey) -> Locked<Shard> {
        // URLs differ most at their ends.
        let hash = key.target.utf8.suffix(8).reduce(key.target.utf8.count) { $0 &* 31 &+ Int($1) }
        return shards[hash & (Self.shardCount - 1)]
    }

    /// What it removes is released outside of the lock: freeing large bodies takes time, and may run code of others.
    private static func change<Value: Sendable>(_ shard: Locked<Shard>, _ change: (inout Shard) -> Value) -> Value {
        let (value, removed) = shard.withLock { shard in (change(&shard), exchange(&shard.removed, with: [])) }
        return withExtendedLifetime(removed) { value }
    }

    func entries(for key: CacheKey) -> [CacheEntry] {
        let now = TimePoint.now.nanoseconds
        return shard(of: key).withLock { $0.use(key, at: now) }
    }

    func insert(_ response: CachedResponse, _ body: Data, of flight: CacheFlight?) -> CacheEntry? {
        guard Int64(body.count) <= largestBody else { return nil }
        return put(CacheEntry(response: response, body: .data(body)), of: flight)
    }

    /// Nil if there is no room for it, because what is pinned or being received takes it.
    private func put(_ entry: CacheEntry, of flight: CacheFlight?) -> CacheEntry? {
        let now = TimePoint.now.nanoseconds
        let shard = shard(of: entry.response.key)
        // Under the lock, since what invalidates the flight removes the entries afterwards.
        let (stored, growth) = Self.change(shard) { flight?.isInvalidated == true ? (nil, 0) : $0.put(entry, at: now) }
        let isFull = byteCount.add(growth, ordering: .relaxed).newValue > capacity
        guard isFull else { return stored }
        makeRoom()
        return shard.withLock { $0.has(entry.response) } ? stored : nil
    }

    /// Whether there is room for that many more bytes of a body that is being received. They count until `release`.
    fileprivate func reserve(_ bytes: Int) -> Bool {
        guard byteCount.add(bytes, ordering: .relaxed).newValue > capacity else { return true }
        makeRoom()
        guard byteCount.load(ordering: .relaxed) > capacity else { return true }
        release(bytes)
        return false
    }

    fileprivate func release(_ bytes: Int) { byteCount.subtract(bytes, ordering: .relaxed) }

    /// Evicts the least recently used entries of all shards.
    private func makeRoom() {
        while byteCount.load(ordering: .relaxed) > capacity {
            let oldest = shards.compactMap { shard in shard.withLock { $0.oldest }.map { (shard, $0) } }
                .min { $0.1.lastUse < $1.1.lastUse }
            guard let (shard, place) = oldest else { return }
            byteCount.subtract(Self.change(shard) { $0.remove(place.key) }, ordering: .relaxed)
        }
    }

    func makeWriter(for key: CacheKey) -> (any CacheWriter)? { MemoryCacheWriter(self) }

    func replace(_ old: CacheEntry, by new: CachedResponse, of flight: CacheFlight?) -> CacheEntry? {
        put(CacheEntry(response: new, body: old.body, isPinned: old.isPinned), of: flight)
    }

    func remove(_ response: CachedResponse) {
        byteCount.subtract(Self.change(shard(of: response.key)) { $0.remove(response) }, ordering: .relaxed)
    }

    func removeAll(for key: CacheKey, keepsPin: Bool) {
        let freed = Self.change(shard(of: key)) { keepsPin ? $0.keep(key) { _ in false } : $0.remove(key) }
        byteCount.subtract(freed, ordering: .relaxed)
    }

    func removeAll() {
        for shard in shards { byteCount.subtract(Self.change(shard) { $0.removeAll() }, ordering: .relaxed) }
    }

    func setPinned(_ isPinned: Bool, for key: CacheKey) -> Bool {
        shard(of: key).withLock { $0.setPinned(isPinned, key) }
    }

    func list() -> [HTTPCache.Entry] {
        shards.flatMap { shard in shard.withLock { $0.all } }.map { HTTPCache.Entry($0) }
    }
}

/// Collects a body in memory, whose bytes count in the store from the moment they are held.
private final class MemoryCacheWriter: CacheWriter {
    private struct State: Sendable {
        /// Nil once there is no room for it.
        var bytes: Data? = Data()
        /// How many bytes count in the store.
        var reserved = 0
        var expected: Int?
    }

    private static let smallest = 4 << 10
    /// A larger body is not copied to get rid of the pages behind it, which nothing has touched.
    private static let copied = 1 << 20
    private let store: MemoryCacheStore
    private let state = Locked(State())

    init(_ store: MemoryCacheStore) { self.store = store }

    deinit { drop() }

    /// Nothing counts that a server only announces.
    func expect(_ byteCount: Int64) { state.withLock { $0.expected = Int(clamping: byteCount) } }

    func write(_ new: UnsafeRawBufferPointer) {
        let isKept = state.withLock { [store] state in
            guard let count = state.bytes?.count else { return true }
            guard Self.makeRoom(for: count + new.count, in: &state, store) else { return false }
            state.bytes?.append(contentsOf: new)
            return true
        }
        if !isKept { drop() }
    }

    private static func makeRoom(for count: Int, in state: inout State, _ store: MemoryCacheStore) -> Bool {
        guard count > state.reserved else { return true }
        guard Int64(count) <= store.largestBody else { return false }
        let most = max(count, min(state.expected ?? .max, Int(store.largestBody)))
        let size = min(max(count, state.reserved * 2, smallest), most)
        guard store.reserve(size - state.reserved) else { return false }
        state.reserved = size
        state.bytes?.reserveCapacity(size)
        return true
    }

    @discardableResult
    private func drop() -> Data? {
        let (bytes, reserved) = state.withLock { state in
            defer { (state.bytes, state.reserved) = (nil, 0) }
            return (state.bytes, state.reserved)
        }
        store.release(reserved)
        return bytes
    }

    func finish(_ response: CachedResponse, of flight: CacheFlight?) -> CacheEntry? {
        guard let bytes = drop(), Int64(bytes.count) == response.bodyByteCount else { return nil }
        return store.insert(
            response, bytes.count > Self.copied ? bytes : bytes.withUnsafeBytes { Data($0) }, of: flight)
    }
}

/// Some of the URLs, ordered by last use. Links are array indices, so that releasing many entries does not recurse.
private struct Shard {
    struct Slot: Linked {
        /// Nil for a free slot.
        var key: CacheKey?
        var entries: [CacheEntry] = []
        var byteCount = 0
        var isPinned = false
        var lastUse: Int64 = 0
        var previous = Chain.end
        var next = Chain.end
    }

    private var places: [CacheKey: Int32] = [:]
    private var slots: [Slot] = []
    private var free: [Int32] = []
    /// The most recently used is the last.
    private var order = Chain()
    /// For whoever holds the lock, to be released behind it.
    var removed: [CacheEntry] = []

    var all: [CacheEntry] { slots.flatMap(\.entries) }

    mutating func use(_ key: CacheKey, at now: Int64) -> [CacheEntry] {
        guard let place = places[key] else { return [] }
        order.remove(place, in: &slots)
        order.append(place, in: &slots)
        slots[Int(place)].lastUse = now
        return slots[Int(place)].entries
    }

    /// Returns the stored entry and the change in size, in bytes; nil if the response to a later request is stored.
    mutating func put(_ entry: CacheEntry, at now: Int64) -> (CacheEntry?, Int) {
        let key = entry.response.key
        let known = places[key].map { slots[Int($0)].entries } ?? []
        let same = known.filter { $0.response.variant == entry.response.variant }
        guard !same.contains(where: { $0.response.isLater(than: entry.response) }) else { return (nil, 0) }
        let place = places[key] ?? free.popLast() ?? Int32(slots.count)
        if place == slots.count { slots.append(Slot()) }
        if places.updateValue(place, forKey: key) != nil { order.remove(place, in: &slots) }
        order.append(place, in: &slots)
        var slot = slots[Int(place)]
        let before = slot.byteCount
        var entry = entry
        entry.isPinned = slot.isPinned
        slot.key = key
        removed += slot.entries
        slot.entries = slot.entries.without(entry.response, atMost: MemoryCacheStore.mostVariants - 1) + [entry]
        slot.byteCount = slot.entries.reduce(0) { $0 + Self.byteCount($1) }
        slot.lastUse = now
        slots[Int(place)] = slot
        return (entry, slot.byteCount - before)
    }

    func has(_ response: CachedResponse) -> Bool {
        places[response.key].map { slots[Int($0)] }?.entries.contains { $0.response === response } ?? false
    }

    private static func byteCount(_ entry: CacheEntry) -> Int {
        entry.response.headByteCount + Int(entry.response.bodyByteCount)
    }

    /// Returns the number of bytes freed.
    mutating func remove(_ key: CacheKey) -> Int {
        guard let place = places.removeValue(forKey: key) else { return 0 }
        let byteCount = slots[Int(place)].byteCount
        removed += slots[Int(place)].entries
        order.remove(place, in: &slots)
        slots[Int(place)] = Slot()
        free.append(place)
        return byteCount
    }

    mutating func remove(_ response: CachedResponse) -> Int { keep(response.key) { $0.response !== response } }

    /// Removes the other entries. A pin outlives them, for the next one.
    mutating func keep(_ key: CacheKey, where isKept: (CacheEntry) -> Bool) -> Int {
        guard let place = places[key].map({ Int($0) }) else { return 0 }
        let before = slots[place].byteCount
        let left = slots[place].entries.filter(isKept)
        guard !left.isEmpty || slots[place].isPinned else { return remove(key) }
        removed += slots[place].entries
        slots[place].entries = left
        slots[place].byteCount = left.reduce(0) { $0 + Self.byteCount($1) }
        return before - slots[place].byteCount
    }

    mutating func removeAll() -> Int {
        let byteCount = slots.reduce(0) { $0 + $1.byteCount }
        let entries = all
        self = Shard()
        removed = entries
        return byteCount
    }

    /// The entry to evict first; nil if all are pinned.
    var oldest: (key: CacheKey, lastUse: Int64)? {
        var place = order.first
        while place != Chain.end {
            let slot = slots[Int(place)]
            if let key = slot.key, !slot.isPinned { return (key, slot.lastUse) }
            place = slot.next
        }
        return nil
    }

    mutating func setPinned(_ isPinned: Bool, _ key: CacheKey) -> Bool {
        guard let place = places[key].map({ Int($0) }) else { return false }
        guard !slots[place].entries.isEmpty else {
            if !isPinned { _ = remove(key) }
            return false
        }
        slots[place].isPinned = isPinned
        for index in slots[place].entries.indices { slots[place].entries[index].isPinned = isPinned }
        return true
    }
}

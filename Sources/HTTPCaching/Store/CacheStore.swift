import HTTPFoundation

/// A stored response with its body.
struct CacheEntry: Sendable {
    let response: CachedResponse
    var body: CachedBody
    /// Whether it is pinned: not evicted, and used when the server cannot be reached.
    var isPinned = false
}

enum CachedBody: Sendable {
    case data(Data)
    case file(CachedFile)
}

/// The storage of responses. It may be called from any thread.
protocol CacheStore: AnyObject, Sendable {
    /// Whether it answers at once. If not, it waits for a disk, and must be called where that delays no other call.
    var isImmediate: Bool { get }
    /// The maximum size of a stored body, in bytes.
    var largestBody: Int64 { get }
    /// Why nothing can be stored or found, as a phrase; nil while it works.
    var problem: String? { get }

    /// The responses stored for the URL. This counts as a use.
    func entries(for key: CacheKey) -> [CacheEntry]

    /// A number that changes whenever any process removes what is stored for the URL.
    func mark(of key: CacheKey) -> UInt64

    /// Stores a response and replaces the one for the same requests. Nil on failure, and if that one answers a later request.
    /// Nil, too, once the flight is invalidated: from the next `removeAll` on, nothing of it is found.
    func insert(_ response: CachedResponse, _ body: Data, of flight: CacheFlight?) -> CacheEntry?

    /// A writer for a body whose response is known only when the body is complete. Nil on failure.
    func makeWriter(for key: CacheKey) -> (any CacheWriter)?

    /// Stores `new` with the body of `old`, as `insert` does. It replaces `old` unless it is for other requests.
    func replace(_ old: CacheEntry, by new: CachedResponse, of flight: CacheFlight?) -> CacheEntry?

    func remove(_ response: CachedResponse)
    /// - Parameter keepsPin: Whether a pin stays for the next response.
    func removeAll(for key: CacheKey, keepsPin: Bool)
    func removeAll()

    func setPinned(_ isPinned: Bool, for key: CacheKey) -> Bool
    func list() -> [HTTPCache.Entry]
}

/// Writes a body into a store. Used by one thread at a time. A writer that is released unfinished leaves nothing
/// behind.
protocol CacheWriter: AnyObject, Sendable {
    /// The body will have this many bytes, says the server.
    func expect(_ byteCount: Int64)

    /// Writes the next bytes. An error is remembered and keeps the body from being stored; it does not affect the call.
    func write(_ bytes: UnsafeRawBufferPointer)

    /// Completes the body, which belongs to this response, and stores it as `insert` does. Nil if nothing was stored.
    func finish(_ response: CachedResponse, of flight: CacheFlight?) -> CacheEntry?
}

extension CacheStore {
    func mark(of key: CacheKey) -> UInt64 { 0 }
}

extension CacheWriter {
    func expect(_ byteCount: Int64) {}
}

extension [CacheEntry] {
    /// The entries for other requests than those of `response`: the newest, at most `limit`.
    func without(_ response: CachedResponse, atMost limit: Int) -> [CacheEntry] {
        let others = filter { $0.response.variant != response.variant }
        guard others.count > limit else { return others }
        return Array(others.sorted { $0.response.responseTime > $1.response.responseTime }.prefix(limit))
    }
}

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A stored response with its body.
struct CacheEntry: Sendable {
    let response: CachedResponse
    let body: CachedBody
    /// Whether it is kept until that is taken back, and stands in for a server that cannot be reached.
    var isPinned = false
}

enum CachedBody: Sendable {
    case data(Data)
    case file(CachedFile)
}

/// The storage of responses. Any thread may call it.
protocol CacheStore: AnyObject, Sendable {
    /// Whether it answers at once. If not, it waits for a disk, and is called where that delays no other call.
    var isImmediate: Bool { get }
    /// In bytes; a larger body is not stored.
    var largestBody: Int64 { get }
    /// Why nothing can be stored or found, as a phrase; nil while it works.
    var problem: String? { get }

    /// The responses stored for the URL. They count as used now.
    func entries(for key: CacheKey) -> [CacheEntry]

    /// Stores a response in place of what answers the same requests. Nil where that does not work.
    func insert(_ response: CachedResponse, _ body: Data) -> CacheEntry?

    /// Takes a body as it comes, for a response that is known when it is whole. Nil where that does not work.
    func makeWriter(for key: CacheKey) -> (any CacheWriter)?

    /// Stores `new` with the body of `old`, in its place unless it is for other requests.
    func replace(_ old: CacheEntry, by new: CachedResponse) -> CacheEntry?

    func remove(_ response: CachedResponse)
    func removeAll(for key: CacheKey)
    func removeAll()

    func setPinned(_ isPinned: Bool, for key: CacheKey) -> Bool
    func list() -> [HTTPCache.Entry]
}

/// A body on its way into a store. Used by one thread at a time. One that is let go of leaves nothing behind.
protocol CacheWriter: AnyObject, Sendable {
    /// What cannot be written is noted, and nothing is stored then: the caller of the call has nothing to do with that.
    func write(_ bytes: UnsafeRawBufferPointer)

    /// The body is complete and belongs to this response. Nil if nothing was stored.
    func finish(_ response: CachedResponse) -> CacheEntry?
}

extension [CacheEntry] {
    /// Those that answer other requests than `response`, at most `limit` of them, the newest.
    func without(_ response: CachedResponse, atMost limit: Int) -> [CacheEntry] {
        let others = filter { $0.response.variant != response.variant }
        guard others.count > limit else { return others }
        return Array(others.sorted { $0.response.responseTime > $1.response.responseTime }.prefix(limit))
    }
}

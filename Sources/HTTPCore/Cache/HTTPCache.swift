#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Responses that are kept to be used again, by the rules of RFC 9111 for a private cache.
///
///     let cache = HTTPCache.memory(megabytes: 64)
///     let client = CurlTransport().intercepted(by: .cache(cache))
///
/// One cache may serve any number of clients and threads, a directory also several processes. `Interceptor.cache(_:)` says
/// what is done with it.
public final class HTTPCache: Sendable {
    let store: any CacheStore
    let flights = CacheFlights()

    init(_ store: any CacheStore) { self.store = store }

    /// In memory, for as long as the cache exists.
    ///
    /// Of a full cache goes what was not used for the longest time. A body of more than a quarter of it is not stored.
    ///
    /// - Parameter megabytes: How much all responses may take together, in units of 1,048,576 bytes.
    public static func memory(megabytes: Int) -> HTTPCache {
        HTTPCache(MemoryCacheStore(capacity: min(max(0, megabytes), .max >> 20) << 20))
    }

    /// In a directory, for any number of processes and for the next start of the program.
    ///
    /// The directory is created if missing, and must belong to the user of this process alone. Each response is a file
    /// that only this user can read; none contains credentials of a request. A damaged file counts as missing; whatever
    /// happens to the process, the disk or the directory, calls are made, and no response is torn. A full cache removes
    /// the least recently used responses, to within half a minute. A body of more than a quarter of it is not stored.
    /// Up to 8 variants of a URL are kept.
    ///
    /// - Parameters:
    ///   - directory: Its path; that of a subdirectory of the system's caches as a rule.
    ///   - megabytes: How much all files may take together, in units of 1,048,576 bytes; each process may exceed that by a
    ///     sixteenth.
    public static func directory(_ directory: some FileLocation, megabytes: Int = 256) -> HTTPCache {
        HTTPCache(DiskCacheStore(directory.filePath, capacity: Int64(min(max(0, megabytes), .max >> 20)) << 20))
    }

    /// Why nothing is stored or found, as a phrase: a directory that cannot be made, or that others may write to. Nil while
    /// the cache works. Calls are made all the same, and `cacheStatus` of their responses says so.
    public var problem: String? { store.problem }

    /// Removes all responses.
    public func removeAll() {
        flights.invalidateAll()
        store.removeAll()
    }

    /// Removes all responses stored for `url`.
    public func remove(_ url: HTTPURL) {
        let key = CacheKey(url)
        flights.invalidate(key)
        store.removeAll(for: key)
    }

    /// Keeps what is stored under `url` now, and what comes in its place, for a time without a network: it does not go when
    /// the cache is full, and when the server cannot be reached it answers although it is stale, unless the server has
    /// forbidden that (`must-revalidate`, `no-cache`). It counts towards the size of the cache.
    ///
    /// - Returns: Whether anything is stored there.
    @discardableResult
    public func pin(_ url: HTTPURL) -> Bool { store.setPinned(true, for: CacheKey(url)) }

    /// Ends what `pin(_:)` began.
    @discardableResult
    public func unpin(_ url: HTTPURL) -> Bool { store.setPinned(false, for: CacheKey(url)) }

    /// The stored responses, unordered.
    public var entries: [Entry] { store.list() }

    /// A stored response, for a list.
    public struct Entry: Sendable, Hashable {
        /// Where it came from.
        public let url: String
        /// As the server sent it.
        public let status: HTTPStatus
        /// Of the body, in bytes.
        public let bodyByteCount: Int64
        /// When it came, or was validated last.
        public let date: Date
        /// Until when it is fresh.
        public let freshUntil: Date
        /// Whether `pin(_:)` keeps it.
        public let isPinned: Bool

        init(_ entry: CacheEntry) {
            let response = entry.response
            url = response.key.url
            status = response.status
            bodyByteCount = response.bodyByteCount
            date = Date(timeIntervalSince1970: response.responseTime)
            freshUntil = date.addingTimeInterval(max(-1e9, response.freshness.timeLeft(at: response.responseTime)))
            isPinned = entry.isPinned
        }
    }
}

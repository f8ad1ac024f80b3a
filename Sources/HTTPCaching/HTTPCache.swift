@_exported public import HTTPCore
public import HTTPFoundation
import HTTPSupport

/// A store of responses for reuse, by the rules of RFC 9111 for a private cache.
///
///     let cache = HTTPCache.memory(megabytes: 64)
///     let client = CurlTransport().intercepted(by: .cache(cache))
///
/// One cache may serve any number of clients and threads; a directory may also serve several processes. See
/// `Interceptor.cache(_:)` for its behaviour.
public final class HTTPCache: Sendable {
    let store: any CacheStore
    /// A forked child waits for no exchange of its parent.
    private let ownFlights = ForkLocal { CacheFlights() }
    var flights: CacheFlights { ownFlights.value }

    init(_ store: any CacheStore) { self.store = store }

    /// A cache in memory.
    ///
    /// A full cache removes the least recently used responses. A body larger than a quarter of the cache is not stored.
    /// At most 32 variants of a URL are kept, which are used and removed together.
    ///
    /// - Parameter megabytes: The maximum size of all responses together, in units of 1,048,576 bytes. It includes
    ///   bodies that are still being received.
    public static func memory(megabytes: Int) -> HTTPCache {
        HTTPCache(MemoryCacheStore(capacity: min(max(0, megabytes), .max >> 20) << 20))
    }

    /// A cache in a directory, which persists and may be shared by any number of processes.
    ///
    /// The directory is created if missing, and must belong to the user of this process and be writable by no other.
    /// Each response is a file that only this user can read, with its URL, but with no field of the request. A damaged file
    /// counts as missing: a failure of the process, the disk or the directory never fails a call and never yields an
    /// incomplete response. A full cache removes the least recently used responses, accurate to half a minute. A body
    /// larger than a quarter of the cache is not stored. At most 8 variants of a URL are kept. A directory that is
    /// removed is created again; one that is replaced is used as soon as it fulfils the conditions.
    ///
    /// - Parameters:
    ///   - directory: The path, usually a subdirectory of the system's cache directory.
    ///   - megabytes: The maximum size of all files together, in units of 1,048,576 bytes. A file counts in blocks of 4,096
    ///     bytes, as disks have them. Each process may exceed it by a sixteenth.
    public static func directory(_ directory: some FileLocation, megabytes: Int = 256) -> HTTPCache {
        HTTPCache(DiskCacheStore(directory.filePath, capacity: Int64(min(max(0, megabytes), .max >> 20)) << 20))
    }

    /// Why the cache does not work now, as a phrase: for example, the directory cannot be created, or others may write
    /// to it. Nil while the cache works. It looks at the directory. Calls are made anyway, and the `cacheStatus` of their responses contains the
    /// reason.
    public var problem: String? { store.problem }

    /// Removes all responses. A directory that cannot be listed now, for example without a file descriptor left, is not used
    /// until they are removed, and `problem` says so.
    public func removeAll() {
        flights.invalidate(nil)
        store.removeAll()
    }

    /// Removes all responses stored for `url`.
    public func remove(_ url: HTTPURL) {
        let key = CacheKey(url)
        flights.invalidate(key)
        store.removeAll(for: key, keepsPin: false)
    }

    /// Keeps the response stored under `url`, and any later one that replaces it, for use without a network. A pinned
    /// response is not evicted. If the server cannot be reached, answers 500, 502, 503 or 504, or sends invalid HTTP or
    /// a truncated body, it is used even when stale, unless the server (`must-revalidate`, `no-cache`) or the request
    /// (`no-cache`, `max-age`, `min-fresh`) forbids that; once the call's own time is up, only if the stored body is in
    /// memory and goes there. As ever, it is used only for requests with the Authorization of its own: a new token ends
    /// that. It counts towards the size of the cache. A response that an unsafe request has made outdated
    /// is removed, and the next one is pinned.
    ///
    /// - Returns: Whether anything is stored under `url`.
    @discardableResult
    public func pin(_ url: HTTPURL) -> Bool { store.setPinned(true, for: CacheKey(url)) }

    /// Undoes `pin(_:)`. Returns whether anything is stored under `url`.
    @discardableResult
    public func unpin(_ url: HTTPURL) -> Bool { store.setPinned(false, for: CacheKey(url)) }

    /// The stored responses, unordered.
    public var entries: [Entry] { store.list() }

    /// A stored response, as listed by `entries`.
    public struct Entry: Sendable, Hashable {
        /// The URL of the response.
        public let url: String
        /// The status from the server.
        public let status: HTTPStatus
        /// The size of the body, in bytes.
        public let bodyByteCount: Int64
        /// When the response arrived, or was last validated.
        public let date: Date
        /// When the response becomes stale.
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

extension HTTPCache.Entry: Redacted {
    /// Status, URL and size. Secrets in the URL are masked.
    public var description: String { "\(status) \(Redaction.urlText(url)), \(bodyByteCount) bytes" }
}

extension Interceptor {
    /// Answers with stored responses where RFC 9111 allows it, and stores what may be stored.
    ///
    ///     let client = CurlTransport().intercepted(by: .cache(.memory(megabytes: 64)))
    ///     let page = try client.send(.get("https://api.example.com/news"))
    ///     page.cacheStatus?.isHit
    ///
    /// It is a private cache: it stores what is `private`, too. What is stale is validated before it is used, unless the
    /// server (`stale-while-revalidate`, `stale-if-error`) or the request (`max-stale`) allows more. The request says by its
    /// own Cache-Control what it wants: `no-store` leaves the cache alone, `no-cache` and `max-age` ask the server,
    /// `only-if-cached` does not and fails with `HTTPError.notCached` where nothing fits. Responses to GET are stored, and
    /// answer HEAD and a request for one range of bytes, too. Methods that are not safe throw away what they make outdated.
    ///
    /// Any number of calls for one resource make one request; the others wait and share what it brings. That never goes
    /// across different Authorization headers, cookies, or fields by which the server chooses. A stored response, too, only
    /// answers requests with the Authorization that it came for: list a cache behind `.bearer(_:)`, so that it sees the
    /// token, and leave the same cache out of what several users share by other means than that header, unless the server
    /// says `Vary: Cookie`.
    ///
    /// A response that may be used while it is validated is validated in the background for awaited calls, and in a blocking
    /// program or a batch by the next call that asks for it.
    ///
    /// Redirects are followed here, since they are stored as well. `Response.cacheStatus` says what the cache did; an Age
    /// header is that of a stored response. Listed before `.retry()`, a hit costs nothing there and each attempt goes to the
    /// server. Nothing is stored of bodies that were cut short, and of those larger than the cache takes.
    public static func cache(_ cache: HTTPCache) -> Interceptor { Interceptor(CachePolicy(cache)) }
}

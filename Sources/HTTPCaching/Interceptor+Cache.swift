extension Interceptor {
    /// Answers with stored responses if RFC 9111 allows it, and stores cacheable responses.
    ///
    ///     let client = CurlTransport().intercepted(by: .cache(.memory(megabytes: 64)))
    ///     let page = try client.send(.get("https://api.example.com/news"))
    ///     page.cacheStatus?.isHit
    ///
    /// It is a private cache, so it also stores `private` responses. A stale response is validated before use, unless
    /// the server (`stale-while-revalidate`, `stale-if-error`) or the request (`max-stale`) allows otherwise. The
    /// request's own Cache-Control decides: `no-store` bypasses the cache, `no-cache` and `max-age` ask the server, and
    /// `only-if-cached` never asks it and fails with `NotCached` if no stored response fits. Responses to GET
    /// are stored, and one to a POST that says how long it is fresh and whose Content-Location is the URL (RFC 9110
    /// §9.3.3); they also answer HEAD and requests for one byte range. Unsafe methods remove the responses that they
    /// make outdated.
    ///
    /// Concurrent calls for one resource share one exchange: one call sends the request, and the others wait for its
    /// response, unless its head shows that they will not get it. A failure is not shared. They wait for two seconds
    /// from the start of the exchange, or a quarter of the time that they have left, and then send the request
    /// themselves. A call whose body goes to a stream or a file does not wait. Calls with different Authorization headers,
    /// cookies, or fields by which the server selects never share one. A stored response answers only requests with the same Authorization, and only clients that trust the same
    /// servers: the same guard of destinations, verification, pins, certificates, proxy and addresses. A client of a
    /// type of your own shares with others of that type; a cache of its own is safer.
    ///
    /// The key is made of what is sent, in every order of interceptors. List what adds fields before the cache. Behind
    /// it, this package's interceptors are asked beforehand what they will add, so a step runs for a hit, too. What a
    /// closure or a policy of your own adds shows only when it is sent: such a response answers no later request. If
    /// users are distinguished by anything but Authorization, the server must name that field in Vary, or they must not
    /// share a cache.
    ///
    /// A response that may be used while it is validated is validated in the background for awaited calls: by a call of its
    /// own, which only interceptors inside the cache see. In a blocking program or a batch, the next call for it validates it.
    ///
    /// The cache follows redirects itself, since they are stored as well. To another origin they carry what any redirect
    /// does: nothing of what interceptors inside the cache add, unless `RedirectPolicy.crossOriginHeaders` lists it.
    /// `Response.cacheStatus` says what it did; an Age header is that of a stored response. List it before `.retry()`, so that a hit skips the retry and each
    /// attempt goes to the server. Truncated bodies, and bodies too large for the cache, are not stored.
    public static func cache(_ cache: HTTPCache) -> Interceptor { Interceptor(CachePolicy(cache)) }
}

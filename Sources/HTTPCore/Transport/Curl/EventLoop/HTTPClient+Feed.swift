extension HTTPClient {
    /// Where `request` can be handed in, to be carried together with others on one thread that somebody lends. Nil for
    /// a client that has no such place, and for a request that runs the caller's code or waits for a disk, and so needs
    /// a thread of its own.
    package func feed(for request: Request) -> (any CallFeed)? {
        #if canImport(CLibcurl)
        // By the class, since each call asks: to find a protocol for clients with a feed takes ten times as long.
        guard let transport = self as? CurlTransport, request.needsNoThread else { return nil }
        return transport.feed
        #else
        return nil
        #endif
    }
}

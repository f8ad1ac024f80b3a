#if canImport(CLibcurl)

/// What is in the inbox, as a loop takes it.
struct CurlFedCalls: CurlCallSource, ~Copyable {
    private let feed: CurlFeed
    /// Those that were taken out of the inbox together.
    private var taken: [any FedCall] = []
    private var position = 0
    /// How the last call ended, if no other was under way then.
    private var last: FedEnding?
    var isExhausted: Bool { false }

    init(_ feed: CurlFeed) { self.feed = feed }

    mutating func next() -> (any FedCall)? {
        if position == taken.count {
            taken.removeAll(keepingCapacity: true)
            position = 0
            feed.take(into: &taken)
            if taken.isEmpty { return nil }
        }
        defer { position += 1 }
        return taken[position]
    }

    func call(for item: any FedCall) -> CurlCall { feed.call(item) }

    func isCancelled(_ item: any FedCall) -> Bool { item.isCancelled }

    mutating func deliver(_ result: consuming Result<Response, HTTPError>, of item: any FedCall, isLast: Bool) {
        takeLast()?.tell()
        if isLast { last = FedEnding(call: item, result: result) } else { item.finish(result) }
    }

    /// How the last call ended, of which it is not told yet.
    mutating func takeLast() -> FedEnding? { last.take() }

    func mayWait() -> Bool { feed.mayWait() }
}
#endif

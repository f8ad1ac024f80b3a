#if canImport(CLibcurl)

/// What makes the calls of a feed: a hub and the loop in it.
///
/// It is used by one thread at a time, which has it from the feed's inbox: the one that drives the feed, or one that begins
/// a call.
final class CurlFeedLoop: @unchecked Sendable {
    let hub: CurlHub
    // One thread at a time has it, and the compiler cannot see that.
    @exclusivity(unchecked) private var loop: CurlLoop<CurlFedCalls>

    init(_ feed: CurlFeed, in hub: CurlHub) {
        self.hub = hub
        loop = CurlLoop(CurlFedCalls(feed), in: hub, limit: .max)
        hub.expect(calls: .max)
    }

    /// Whether more connections are idle now than may be. libcurl closes them only one at a time, when another comes back.
    var hasTooManyConnections: Bool { min(loop.width, hub.openedCount) > hub.idleLimit }

    /// Makes the calls of the feed until none is under way. Returns how the last one ended, which is not told yet.
    func makeCalls() -> FedEnding? {
        while loop.fill() {
            // One that failed at once, before those that are under way.
            loop.source.takeLast()?.tell()
            loop.turn()
            if loop.active == 0 { break }
        }
        return loop.source.takeLast()
    }

    /// Gives the transfers back.
    func close() { loop.close() }

    // MARK: On a thread that hands in a call

    /// What has become of a call by now.
    enum Beginning {
        /// Nothing: to begin it might take time.
        case refused
        case underWay
        case ended(FedEnding)
    }

    /// Begins a call, where that is to send a small request over a connection that is most likely there. Looks for its answer
    /// for a moment if it may, unless it is interrupted.
    func begin(
        _ call: any FedCall, as key: CurlTransfer.Key, mayLook: Bool, unless isInterrupted: () -> Bool
    ) -> Beginning {
        guard CurlLibrary.shared.resolvesAside, (call.request.body.count ?? .max) <= CurlRequestOptions.inlineBody,
            let transfer = loop.idleTransfer(for: key)
        else { return .refused }
        guard transfer.mayRaiseBrokenPipe else { return advance(call, transfer, mayLook, isInterrupted) }
        return BrokenPipeGuard.around { advance(call, transfer, mayLook, isInterrupted) }
    }

    private func advance(
        _ call: any FedCall, _ transfer: CurlTransfer, _ mayLook: Bool, _ isInterrupted: () -> Bool
    ) -> Beginning {
        // The rest of a long body would be the caller's to read, too.
        let looks = mayLook && transfer.lastBodyByteCount <= CurlExchange.longBody
        loop.begin(call, looks: looks, unless: isInterrupted)
        return loop.source.takeLast().map { .ended($0) } ?? .underWay
    }
}
#endif

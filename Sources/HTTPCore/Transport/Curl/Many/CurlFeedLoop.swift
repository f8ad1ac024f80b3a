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
        return takeLast()
    }

    /// Gives the transfers back.
    func close() { loop.close() }

    // MARK: On a thread that hands in a call

    /// Begins a call, where that is to send a small request over a connection that is most likely there; false where it is
    /// more. Looks for its answer for a moment if it may, unless it is interrupted.
    func begin(
        _ call: any FedCall, defaultVersion: VersionPolicy, mayLook: Bool, unless isInterrupted: () -> Bool
    ) -> Bool {
        let request = call.request
        guard CurlLibrary.shared.resolvesAside, (request.body.count ?? .max) <= CurlRequestOptions.inlineBody,
            let transfer = loop.idleTransfer, transfer.fits(request, defaultVersion: defaultVersion)
        else { return false }
        // The rest of a long body would be the caller's to read, too.
        let looks = mayLook && transfer.lastBodyByteCount <= CurlExchange.longBody
        // Whatever the call: a connection to somewhere else may be closed meanwhile.
        if CurlLibrary.shared.mayRaiseBrokenPipe {
            BrokenPipeGuard.around { loop.begin(call, looks: looks, unless: isInterrupted) }
        } else {
            loop.begin(call, looks: looks, unless: isInterrupted)
        }
        return true
    }

    /// How the last call ended, if it has and nobody has been told.
    func takeLast() -> FedEnding? { loop.source.takeLast() }
}
#endif

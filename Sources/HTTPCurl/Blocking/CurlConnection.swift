import CLibcurl
import HTTPCore

/// A transfer in a multi handle of its own, and with that at most one connection to one origin: what a blocking call
/// runs in.
///
/// It is used by one thread at a time; the pool hands it from one to the next.
final class CurlConnection: @unchecked Sendable {
    // The transfer goes first, as libcurl wants it.
    let transfer: CurlTransfer
    private let multi: CurlMulti
    private let watch = CurlSocketWatch()

    var key: ConnectionKey { transfer.key }

    init(
        _ key: ConnectionKey, _ configuration: CurlConfiguration, _ headerLists: CurlHeaderLists,
        _ floodWatch: FloodWatch? = nil
    ) throws(Unsupported) {
        multi = try CurlMulti(listener: watch, watch: floodWatch)
        transfer = try CurlTransfer(key, configuration, headerLists, isShared: false, in: multi)
        multi.limitConnections(to: 1)
    }

    /// Runs the transfer that is set up until libcurl is done, the token is cancelled or a deadline passes, on this
    /// thread. Then it is free for the next exchange, and its figures can still be read.
    func drive(_ deadlines: inout Deadlines, token: CancellationToken?) -> TransferResult {
        let registration = token?.onCancel { [waker = multi.waker] in waker.wake() }
        defer { registration?.remove() }
        let ending =
            transfer.mayRaiseBrokenPipe
            ? BrokenPipeGuard.around { run(&deadlines, token) } : run(&deadlines, token)
        return transfer.isOfAncestor ? TransferResult.forked : ending
    }

    private func run(_ deadlines: inout Deadlines, _ token: CancellationToken?) -> TransferResult {
        if let ending = multi.add(transfer) { return ending }
        defer {
            multi.remove(transfer)
            transfer.recordEndpoints()
        }
        var step = begin()
        while true {
            guard let running = step else { return .done(CURLE_FAILED_INIT) }
            if running == 0 { return .done(multi.nextDone()?.code ?? CURLE_FAILED_INIT) }
            // Behind perform and before poll: a wake-up that perform swallowed has left the flag up.
            if let token, token.isCancelled { return .cancelled }
            let now = TimePoint.now
            let hasMoved = transfer.exchange.hasProgressed
            if hasMoved {
                transfer.exchange.hasProgressed = false
                deadlines.noteProgress(at: now, isConnected: transfer.exchange.isConnected)
                if transfer.exchange.receiver.isFollowedRedirect { deadlines.noteDraining(at: now) }
            }
            if let ending = TransferResult(deadlines, at: now) { return ending }
            if transfer.exchange.isBehind {
                if let ending = transfer.catchUp() { return ending }
                step = goOn(false, isSimple: false)
                continue
            }
            let isReady = multi.poll(milliseconds: Deadlines.pollMilliseconds(until: deadlines.next, at: now))
            step = goOn(isReady, isSimple: hasMoved && transfer.exchange.isConnected)
        }
    }

    // MARK: Steps

    /// The first: what is due, which is all of it. How many transfers are not done yet; nil when libcurl cannot go on.
    private func begin() -> Int? {
        watch.begin()
        return multi.socketAction()
    }

    /// A later one. `isReady`: whether a socket was found to be. `isSimple`: whether the transfer is so far that only a
    /// response can be waited for, and its last step brought it on.
    ///
    /// What is not simple once is not again: libcurl keeps its notes of sockets only where it is told of them. Nor is a
    /// wait that ended without a socket, as libcurl can lose a timer of its own, nor one that brought nothing, as the
    /// socket that is ready may be that of a connection on its way out.
    private func goOn(_ isReady: Bool, isSimple: Bool) -> Int? {
        guard isReady, isSimple, let socket = watch.onlyReadable else {
            watch.giveUp()
            return multi.perform()
        }
        return multi.socketAction(on: socket, ready: CURL_CSELECT_IN)
    }
}

import CLibcurl
import HTTPSupport
import Synchronization

/// A transfer in its own multi handle, for blocking calls. It has at most one connection, to one origin.
///
/// One thread uses it at a time; the pool passes it from one to the next.
final class CurlConnection: @unchecked Sendable {
    // Freed before the multi handle, as libcurl requires.
    let transfer: CurlTransfer
    private let multi: CurlMulti
    private let watch = CurlSocketWatch()
    private let resumption: Resumption

    var key: ConnectionKey { transfer.key }

    init(
        _ key: ConnectionKey, _ configuration: CurlConfiguration, _ headerLists: CurlHeaderLists
    ) throws(Unsupported) {
        multi = try CurlMulti(listener: watch)
        transfer = try CurlTransfer(key, configuration, headerLists, isShared: false, in: multi)
        multi.limitConnections(to: 1)
        resumption = Resumption(multi.waker)
        transfer.exchange.resumeUpload = { [resumption] in resumption.request() }
    }

    /// Runs the prepared transfer on this thread until libcurl is done, the token is cancelled or a deadline passes.
    /// Then it is free for the next exchange, and its figures can still be read.
    func drive(_ deadlines: inout Deadlines, token: CancellationToken?) -> TransferResult {
        // The process may have forked since the transfer was prepared, in a closure of the caller's.
        if transfer.isOfAncestor { return .forked }
        let registration = token?.onCancel { [waker = multi.waker] in waker.wake() }
        defer { registration?.remove() }
        let ending =
            transfer.mayRaiseBrokenPipe
            ? SignalGuard.brokenPipe { run(&deadlines, token) } : run(&deadlines, token)
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
            // Checked after perform and before poll: a wake-up that perform swallowed has left the flag set.
            if let token, token.isCancelled { return .cancelled }
            let now = TimePoint.now
            let hasMoved = transfer.exchange.hasProgressed
            if hasMoved { deadlines.noteProgress(of: transfer, at: now) }
            if let code = transfer.exchange.codeAfterClose { return .done(code) }
            if let ending = TransferResult(deadlines, at: now) { return ending }
            if transfer.exchange.isBehind || resumption.take() {
                if let ending = transfer.catchUp() { return ending }
                step = advance(false, isSimple: false)
                continue
            }
            let isReady = multi.poll(milliseconds: Deadlines.pollMilliseconds(until: deadlines.next, at: now))
            step = advance(isReady, isSimple: hasMoved && transfer.exchange.isConnected)
        }
    }

    // MARK: Steps

    /// The first step: performs all due work. Returns the number of unfinished transfers; nil when libcurl cannot
    /// continue.
    private func begin() -> Int? {
        watch.begin()
        return multi.socketAction()
    }

    /// A later step. `isReady`: whether a socket is ready. `isSimple`: whether only a response can be waited for, and
    /// the last step made progress.
    ///
    /// Once a transfer is not simple, it is never simple again: libcurl updates its record of sockets only if it is
    /// told of their events. The same holds after a wait that ended without a ready socket, since libcurl can lose a
    /// timer, and after a step without progress, since the ready socket may belong to a connection that is being
    /// closed.
    private func advance(_ isReady: Bool, isSimple: Bool) -> Int? {
        guard isReady, isSimple, let socket = watch.onlyReadable else {
            watch.giveUp()
            // Only with its sockets followed does the end of the connection show while the body is paused.
            return transfer.exchange.upload.isStream ? multi.socketActionAll() : multi.perform()
        }
        return multi.socketAction(on: socket, ready: CURL_CSELECT_IN)
    }
}

/// Says that a paused transfer may go on. Any thread may call `request`.
private final class Resumption: Sendable {
    private let isRequested = Atomic(false)
    private let waker: MultiWakeup

    init(_ waker: MultiWakeup) { self.waker = waker }

    func request() {
        // The flag is set first, because a wake-up may be lost.
        isRequested.store(true, ordering: .sequentiallyConsistent)
        waker.wake()
    }

    func take() -> Bool {
        isRequested.load(ordering: .relaxed) && isRequested.exchange(false, ordering: .acquiringAndReleasing)
    }
}

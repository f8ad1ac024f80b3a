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
    private let sockets: CurlSocketTable
    private let resumption: Resumption

    var key: ConnectionKey { transfer.key }

    init(_ key: ConnectionKey, _ configuration: CurlConfiguration, _ headerLists: CurlHeaderLists) throws(Unsupported) {
        sockets = try CurlSocketTable()
        multi = try CurlMulti(sockets)
        transfer = try CurlTransfer(key, configuration, headerLists, isShared: false, in: multi)
        multi.limitConnections(to: 1)
        resumption = Resumption(sockets.waker)
        transfer.exchange.resumeUpload = { [resumption] in resumption.request() }
    }

    /// Runs the prepared transfer on this thread until libcurl is done, the token is cancelled or a deadline passes.
    /// Then it is free for the next exchange, and its figures can still be read.
    func drive(_ deadlines: inout Deadlines, token: CancellationToken?) -> TransferResult {
        // The process may have forked since the transfer was prepared, in a closure of the caller's.
        if transfer.isOfAncestor { return .forked }
        let registration = token?.onCancel { [waker = sockets.waker] in waker.wake() }
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
        var step = multi.socketAction()
        while true {
            guard let running = step else { return .done(CURLE_FAILED_INIT) }
            if running == 0 { return .done(multi.nextDone()?.code ?? CURLE_FAILED_INIT) }
            // Checked before each wait: an earlier one may have taken the wake-up, which has left the flag set.
            if let token, token.isCancelled { return .cancelled }
            let now = TimePoint.now
            if transfer.exchange.hasProgressed { deadlines.noteProgress(of: transfer, at: now) }
            if let code = transfer.exchange.codeAfterClose { return .done(code) }
            if let ending = deadlines.ending(of: transfer, at: now) { return ending }
            if transfer.exchange.isBehind || resumption.take() {
                if let ending = transfer.catchUp() { return ending }
                step = multi.socketAction()
            } else {
                step = advance(within: Deadlines.pollMilliseconds(until: deadlines.next, at: now))
            }
        }
    }

    // MARK: Steps

    /// Waits until a socket is ready, it is woken or the time has passed, and does the work then due. Returns the number of
    /// unfinished transfers; nil when libcurl cannot continue.
    private func advance(within milliseconds: Int32) -> Int? {
        sockets.wait(milliseconds: min(milliseconds, Int32(clamping: multi.timeout ?? .max)))
        // libcurl can lose a timer, and while it connects it has several.
        guard let first = sockets.events.first, transfer.exchange.isConnected else { return multi.socketActionAll() }
        var running = multi.socketAction(on: first.socket, ready: first.readiness)
        for event in sockets.events.dropFirst() where running != nil && sockets.waits(for: event.socket) {
            running = multi.socketAction(on: event.socket, ready: event.readiness)
        }
        return running
    }
}

/// Says that a paused transfer may go on. Any thread may call `request`.
private final class Resumption: Sendable {
    private let isRequested = Atomic(false)
    private let waker: WakeupPipe

    init(_ waker: WakeupPipe) { self.waker = waker }

    func request() {
        // The flag is set first, because a wake-up may be lost.
        isRequested.store(true, ordering: .sequentiallyConsistent)
        waker.wake()
    }

    func take() -> Bool {
        isRequested.load(ordering: .relaxed) && isRequested.exchange(false, ordering: .acquiringAndReleasing)
    }
}

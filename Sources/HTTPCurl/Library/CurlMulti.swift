import CLibcurl
import HTTPCore

/// A multi handle: the connections that transfers share, and what runs them. It must outlive the transfers in it.
///
/// It is used by one thread at a time. Only `waker` may be touched by others meanwhile.
final class CurlMulti {
    /// Ends a wait in `poll`.
    let waker: MultiWakeup
    let steps = CurlSteps()
    /// libcurl has its address, too.
    let connections: CurlConnectionSockets
    private let multi: UnsafeMutableRawPointer
    /// libcurl has its address.
    private let listener: any CurlSocketListener
    private let generation = ProcessGeneration.current

    /// `watch` sees to connections that are read without a bound, if there are any.
    init<Listener: CurlSocketListener>(listener: Listener, watch: FloodWatch? = nil) throws(Unsupported) {
        try CurlLibrary.shared.requireFloor()
        connections = CurlConnectionSockets(steps, watch)
        guard let multi = curl_multi_init() else {
            if SystemCall.isOutOfDescriptors { throw .noDescriptors }
            throw Unsupported("a new transfer", "libcurl has no memory or no descriptors for it")
        }
        self.multi = multi
        self.listener = listener
        waker = MultiWakeup(multi)
        let context = Unmanaged.passUnretained(listener).toOpaque()
        _ = shim_multi_setopt_socket_callback(multi, Listener.callback, context)
    }

    /// Whether a process made it that this one was forked from. Then nothing in it may be touched: to close a connection is
    /// to say so to its server, and the connection is the other process's.
    var isOfAncestor: Bool { generation != ProcessGeneration.current }

    deinit {
        guard !isOfAncestor else { return }
        waker.close()
        // Closing a TLS connection writes to it.
        BrokenPipeGuard.around { _ = curl_multi_cleanup(multi) }
    }

    /// Closes the oldest of the connections that are not in use when there are more than `count` in all.
    func limitConnections(to count: Int) { shim_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, count) }

    /// Nil when the transfer is under way.
    func add(_ transfer: CurlTransfer) -> TransferResult? {
        curl_multi_add_handle(multi, transfer.handle.easy) == CURLM_OK ? nil : .done(CURLE_FAILED_INIT)
    }

    func remove(_ transfer: CurlTransfer) { curl_multi_remove_handle(multi, transfer.handle.easy) }

    // How many transfers are not done yet; nil when libcurl cannot go on.

    /// Does what can be done without waiting. The listener is told which sockets are not waited for
    /// any more, but not of all that are.
    func perform() -> Int? {
        var running: CInt = 0
        steps.begin()
        defer { steps.end() }
        return curl_multi_perform(multi, &running) == CURLM_OK ? Int(running) : nil
    }

    /// Does what is due.
    func socketAction() -> Int? { socketAction(on: CURL_SOCKET_BAD, ready: 0) }

    /// Does what there is to do now that `socket` is ready for this, of which libcurl then does not ask the system, and
    /// what is due.
    func socketAction(on socket: curl_socket_t, ready: CInt) -> Int? {
        var running: CInt = 0
        steps.begin()
        defer { steps.end() }
        return curl_multi_socket_action(multi, socket, ready, &running) == CURLM_OK ? Int(running) : nil
    }

    /// Looks at all transfers, be they due or not.
    func socketActionAll() -> Int? {
        var running: CInt = 0
        steps.begin()
        defer { steps.end() }
        return curl_multi_socket_all(multi, &running) == CURLM_OK ? Int(running) : nil
    }

    /// When something will be due, in milliseconds from now; nil if nothing will be.
    var timeout: Int? {
        var milliseconds = 0
        return curl_multi_timeout(multi, &milliseconds) == CURLM_OK && milliseconds >= 0 ? milliseconds : nil
    }

    /// Waits until there is something to do, somebody wakes it or the time has passed. Whether a socket is ready.
    func poll(milliseconds: Int32) -> Bool {
        var ready: CInt = 0
        curl_multi_poll(multi, nil, 0, milliseconds, &ready)
        return ready > 0
    }

    /// The next transfer that libcurl is done with, by its easy handle, and how it ended; nil when there is none left.
    func nextDone() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            let result = shim_done_result(message)
            if result >= 0, let easy = message.pointee.easy_handle { return (easy, CURLcode(UInt32(result))) }
        }
        return nil
    }
}

/// Is told by libcurl which sockets the transfers of a multi handle wait for, by the thread that runs them.
protocol CurlSocketListener: AnyObject {
    /// What libcurl calls, with the listener as its context.
    static var callback: shim_socket_callback { get }
}

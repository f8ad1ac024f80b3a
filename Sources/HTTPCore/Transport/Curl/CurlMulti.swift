#if canImport(CLibcurl)
import CLibcurl

/// A multi handle: the connections that transfers share, and what runs them. It must outlive the transfers in it.
///
/// It is used by one thread at a time. Only `waker` may be touched by others meanwhile.
final class CurlMulti {
    let waker: CurlWaker
    private let multi: UnsafeMutableRawPointer
    /// Behind a pointer, which libcurl has as well. Told only where one transfer is in it at a time.
    private let watch: UnsafeMutablePointer<CurlSocketWatch>

    init(watchesSockets: Bool = false) throws(Unsupported) {
        try CurlLibrary.shared.requireFloor()
        guard let multi = curl_multi_init() else {
            throw Unsupported("a new transfer", "libcurl has no memory or no descriptors for it")
        }
        self.multi = multi
        waker = CurlWaker(multi)
        watch = .allocate(capacity: 1)
        watch.initialize(to: CurlSocketWatch())
        if watchesSockets { _ = shim_multi_setopt_socket_callback(multi, CurlSocketWatch.callback, watch) }
    }

    deinit {
        waker.close()
        // Closing a TLS connection writes to it.
        BrokenPipeGuard.around { _ = curl_multi_cleanup(multi) }
        watch.deallocate()
    }

    /// Closes the oldest of the connections that are not in use when there are more than `count` in all.
    func limitConnections(to count: Int) { shim_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, count) }

    func add(_ transfer: CurlTransfer) -> Bool { curl_multi_add_handle(multi, transfer.handle.easy) == CURLM_OK }

    func remove(_ transfer: CurlTransfer) { curl_multi_remove_handle(multi, transfer.handle.easy) }

    /// Does what can be done without waiting. How many transfers are not done yet; nil when libcurl cannot go on.
    func perform() -> Int? {
        var running: CInt = 0
        return curl_multi_perform(multi, &running) == CURLM_OK ? Int(running) : nil
    }

    /// The first step of the one transfer in it: what is due, which is all of it.
    func begin() -> Int? {
        watch.pointee.begin()
        return act(on: nil)
    }

    /// A later one. `isReady`: whether a socket was found to be. `isSimple`: whether the transfer is so far that only a
    /// response can be waited for, and its last step brought it on.
    ///
    /// What is not simple once is not again: libcurl keeps its notes of sockets only where it is told of them. Nor is a
    /// wait that ended without a socket, as libcurl can lose a timer of its own, nor one that brought nothing, as the
    /// socket that is ready may be that of a connection on its way out.
    func goOn(_ isReady: Bool, isSimple: Bool) -> Int? {
        guard isReady, isSimple, let socket = watch.pointee.onlyReadable else {
            watch.pointee.giveUp()
            return perform()
        }
        return act(on: socket)
    }

    /// Does what there is to do now that `socket` is readable, of which libcurl then does not ask the system; or, without
    /// one, what is due.
    private func act(on socket: curl_socket_t?) -> Int? {
        var running: CInt = 0
        let code = curl_multi_socket_action(
            multi, socket ?? CURL_SOCKET_BAD, socket == nil ? 0 : CURL_CSELECT_IN, &running)
        return code == CURLM_OK ? Int(running) : nil
    }

    /// Waits until there is something to do, somebody wakes it or the time has passed. Whether a socket is ready.
    @discardableResult
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
#endif

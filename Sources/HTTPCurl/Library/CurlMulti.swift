import CLibcurl
import HTTPSupport

/// A multi handle: the connections that transfers share. It must outlive its transfers.
///
/// One thread uses it at a time.
final class CurlMulti {
    let steps = CurlSteps()
    /// libcurl stores its address, too.
    let connections: CurlConnectionSockets
    private let multi: UnsafeMutableRawPointer
    /// libcurl stores its address.
    private let sockets: CurlSocketTable
    private let generation = ProcessGeneration.current

    /// `CURLMOPT_QUICK_EXIT`, 8.20: its end does not wait for a blocked resolver. Older versions refuse it.
    private static let quickExit = CURLMoption(rawValue: 21)

    init(_ sockets: CurlSocketTable) throws(Unsupported) {
        try CurlLibrary.shared.requireFloor()
        guard let multi = curl_multi_init() else {
            if SystemCall.isOutOfDescriptors() { throw .noDescriptors }
            throw Unsupported("libcurl", "there is no memory, or no descriptor, for another transfer")
        }
        self.multi = multi
        self.sockets = sockets
        connections = CurlConnectionSockets { [unowned sockets] in sockets.waits(for: $0) }
        shim_multi_setopt_long(multi, Self.quickExit, 1)
        let context = Unmanaged.passUnretained(sockets).toOpaque()
        _ = shim_multi_setopt_socket_callback(multi, CurlSocketTable.callback, context)
    }

    /// Whether a parent process created it before a fork. Then nothing in it may be used: closing a connection notifies
    /// its server, and the connection belongs to the parent.
    var isOfAncestor: Bool { !ProcessGeneration.isCurrent(generation) }

    deinit {
        guard !isOfAncestor else { return }
        // Closing a TLS connection writes to it.
        SignalGuard.brokenPipe { _ = curl_multi_cleanup(multi) }
    }

    /// Closes the oldest idle connections if there are more than `count` in all.
    func limitConnections(to count: Int) { shim_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, count) }

    /// Whether the number of connections is limited.
    private(set) var isFull = false

    /// Closes an idle connection before it opens one beyond `count`, or waits for one; 0 for no limit.
    func limitTotal(to count: Int) {
        isFull = count > 0
        shim_multi_setopt_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, count)
    }

    /// Nil when the transfer is running.
    func add(_ transfer: CurlTransfer) -> TransferResult? {
        curl_multi_add_handle(multi, transfer.handle.easy) == CURLM_OK ? nil : .done(CURLE_FAILED_INIT)
    }

    func remove(_ transfer: CurlTransfer) { curl_multi_remove_handle(multi, transfer.handle.easy) }

    // The number of unfinished transfers; nil when libcurl cannot continue.

    /// Does all due work.
    func socketAction() -> Int? { socketAction(on: CURL_SOCKET_BAD, ready: 0) }

    /// Handles `socket`, which is ready, so that libcurl does not poll it again; then does all due work.
    func socketAction(on socket: curl_socket_t, ready: CInt) -> Int? {
        step { curl_multi_socket_action(multi, socket, ready, &$0) }
    }

    /// Processes all transfers, due or not.
    func socketActionAll() -> Int? { step { curl_multi_socket_all(multi, &$0) } }

    @inline(__always)
    private func step(_ run: (inout CInt) -> CURLMcode) -> Int? {
        var running: CInt = 0
        steps.next()
        defer { steps.next() }
        return run(&running) == CURLM_OK ? Int(running) : nil
    }

    /// The time in milliseconds until work is due; nil if there is none.
    var timeout: Int? {
        var milliseconds = 0
        return curl_multi_timeout(multi, &milliseconds) == CURLM_OK && milliseconds >= 0 ? milliseconds : nil
    }

    /// The next finished transfer, by its easy handle, and its result; nil when there is none left.
    func nextDone() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            let result = shim_done_result(message)
            if result >= 0, let easy = message.pointee.easy_handle { return (easy, CURLcode(UInt32(result))) }
        }
        return nil
    }
}

/// The steps of a multi handle: each time libcurl runs is a step. Used by the thread that has the handle.
final class CurlSteps {
    /// The number of the current step, or of the time after it.
    @exclusivity(unchecked) private(set) var number: UInt64 = 0

    func next() { number &+= 1 }
}

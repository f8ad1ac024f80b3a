#if canImport(CLibcurl)
import CLibcurl

/// One easy and one multi handle, and with them at most one connection to one origin: the owner of everything that
/// belongs to C.
///
/// A lane is used by one thread at a time; the pool hands it from one to the next. Only `waker` may be touched by
/// others meanwhile.
final class CurlLane: @unchecked Sendable {
    let key: Key
    let waker: CurlWaker
    /// Behind a pointer, which libcurl has as well.
    let exchange: UnsafeMutablePointer<CurlExchange>
    let handle: CurlHandle
    private let multi: UnsafeMutableRawPointer
    /// Where libcurl writes its words about a failure.
    private let errorBuffer: UnsafeMutablePointer<CChar>
    let tlsPeer: CurlTLSPeer
    /// The proxy on the way to the origin.
    let proxy: Proxy?
    let unixSocketPath: String?
    /// Lists libcurl reads from as long as the handle lives.
    private let overrides: CurlList
    var requestOptions: CurlRequestOptions
    /// The connection of the last transfer.
    private(set) var route = CurlRoute.none

    /// What requests must share to use the same connection.
    struct Key: Sendable, Hashable {
        let origin: Origin
        let version: VersionPolicy
    }

    init(_ key: Key, _ configuration: CurlConfiguration) throws(Unsupported) {
        try CurlLibrary.shared.requireFloor()
        guard let easy = curl_easy_init() else { throw Unsupported("a new transfer", "libcurl has no memory for it") }
        guard let multi = curl_multi_init() else {
            curl_easy_cleanup(easy)
            throw Unsupported("a new transfer", "libcurl has no memory or no descriptors for it")
        }
        self.key = key
        self.multi = multi
        handle = CurlHandle(easy: easy)
        waker = CurlWaker(multi)
        overrides = CurlList(CurlLaneOptions.overrides(configuration.addressOverrides, for: key.origin))
        let proxy = try Self.orCleanUp(easy, multi) { () throws(Unsupported) in
            configuration.unixSocketPath == nil ? try configuration.proxy.proxy(for: key.origin) : nil
        }
        self.proxy = proxy
        unixSocketPath = configuration.unixSocketPath
        requestOptions = CurlRequestOptions(userAgent: configuration.userAgent)
        tlsPeer = CurlTLSPeer(checkedHost: CurlLaneOptions.checkedHost(key.origin, configuration.tls, proxy))
        exchange = .allocate(capacity: 1)
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        // From here on `deinit` frees what was made.
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        exchange.initialize(to: CurlExchange())
        shim_multi_setopt_long(multi, CURLMOPT_MAXCONNECTS, 1)
        connectCallbacks()
        try CurlLaneOptions(key: key, configuration: configuration, proxy: proxy, overrides: overrides).apply(
            to: handle)
    }

    private static func orCleanUp<Value>(
        _ easy: UnsafeMutableRawPointer, _ multi: UnsafeMutableRawPointer, _ make: () throws(Unsupported) -> Value
    ) throws(Unsupported) -> Value {
        do { return try make() } catch {
            curl_easy_cleanup(easy)
            curl_multi_cleanup(multi)
            throw error
        }
    }

    deinit {
        waker.close()
        // Closing a TLS connection writes to it.
        BrokenPipeGuard.around {
            curl_easy_cleanup(handle.easy)
            curl_multi_cleanup(multi)
        }
        errorBuffer.deallocate()
        exchange.deinitialize(count: 1)
        exchange.deallocate()
    }

    /// With the origin, or with the proxy on the way there.
    var speaksTLS: Bool { key.origin.scheme == .https || proxy?.kind == .https }

    private func connectCallbacks() {
        let context = UnsafeRawPointer(exchange)
        shim_setopt_data_callback(handle.easy, CURLOPT_HEADERFUNCTION, CurlCallbacks.header)
        shim_setopt_data_callback(handle.easy, CURLOPT_WRITEFUNCTION, CurlCallbacks.body)
        shim_setopt_data_callback(handle.easy, CURLOPT_READFUNCTION, CurlCallbacks.upload)
        shim_setopt_seek_callback(handle.easy, CurlCallbacks.seek)
        shim_setopt_prerequest_callback(handle.easy, CurlCallbacks.prerequest)
        shim_setopt_open_socket_callback(handle.easy, CurlCallbacks.openSocket)
        let contexts = [
            CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA,
            CURLOPT_OPENSOCKETDATA,
        ]
        for option in contexts { handle.set(option, pointer: context) }
        handle.set(CURLOPT_ERRORBUFFER, pointer: errorBuffer)
        if speaksTLS, OpenSSLStrictness.shared != nil {
            shim_setopt_ssl_context_callback(handle.easy, OpenSSLStrictness.callback)
            handle.set(CURLOPT_SSL_CTX_DATA, pointer: Unmanaged.passUnretained(tlsPeer).toOpaque())
        }
    }

    /// How a drive ended.
    enum Ending {
        /// libcurl is done with the transfer, well or not.
        case done(CURLcode)
        case cancelled
        case timedOut(Timeouts.Limit)
    }

    /// Runs the transfer that is set up until libcurl is done, the token is cancelled or a deadline passes, on this
    /// thread. Then the handle is free for the next transfer, and its figures can still be read.
    func drive(_ deadlines: inout Deadlines, token: CancellationToken?) -> Ending {
        errorBuffer.pointee = 0
        curl_multi_add_handle(multi, handle.easy)
        defer {
            curl_multi_remove_handle(multi, handle.easy)
            noteRoute()
        }
        while true {
            var running: CInt = 0
            let result = curl_multi_perform(multi, &running)
            guard result == CURLM_OK else { return .done(CURLE_FAILED_INIT) }
            if running == 0 { return .done(doneResult()) }
            // Behind perform and before poll: a wake-up that perform swallowed has left the flag up.
            if let token, token.isCancelled { return .cancelled }
            let now = ContinuousClock.now
            if exchange.pointee.hasProgressed {
                exchange.pointee.hasProgressed = false
                deadlines.noteProgress(at: now, isConnected: exchange.pointee.isConnected)
            }
            if let limit = deadlines.passed(at: now) { return .timedOut(limit) }
            curl_multi_poll(multi, nil, 0, deadlines.pollMilliseconds(at: now), nil)
        }
    }

    /// A connection that is used again is not asked for its addresses again.
    private func noteRoute() {
        let isReused = exchange.pointee.isConnected && handle.long(CURLINFO_NUM_CONNECTS) == 0
        route = isReused && route.isKnown ? route.reused : CurlRoute(handle, isReused: isReused)
    }

    private func doneResult() -> CURLcode {
        var left: CInt = 0
        while let message = curl_multi_info_read(multi, &left) {
            let result = shim_done_result(message)
            if result >= 0 { return CURLcode(UInt32(result)) }
        }
        return CURLE_FAILED_INIT
    }

    /// What libcurl says of the last failure, or of `code` in general.
    func words(for code: CURLcode) -> String {
        errorBuffer.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorBuffer)
    }
}
#endif

import CLibcurl
import HTTPSupport

/// One easy handle with all memory that libcurl uses during a transfer. It carries one exchange after the other, all to
/// one origin.
///
/// One thread uses it at a time, in the multi handle that it was made for.
final class CurlTransfer {
    // One thread at a time has the transfer; run-time checks would be a significant part of the cost.
    // The members of each exchange are adjacent, because the memory of an idle transfer is no longer cached.

    let key: ConnectionKey
    /// libcurl's callbacks have it, too, through the address of the transfer.
    @exclusivity(unchecked) var exchange: CurlExchange
    let handle: CurlHandle
    /// The buffer for error messages of libcurl.
    private let errorBuffer: UnsafeMutablePointer<CChar>
    /// Nil if no connection uses TLS, to the origin or to the proxy.
    let tlsPeer: CurlTLSPeer?
    @exclusivity(unchecked) var requestOptions: CurlRequestOptions
    /// The body length of the last delivered response; nil before the first.
    @exclusivity(unchecked) var lastBodyByteCount: Int64?
    /// Whether the connection of the last exchange had carried a request before.
    @exclusivity(unchecked) private(set) var isReused = false
    /// Whether libcurl may have kept from an exchange what it would take for news of the next one: that its stream was
    /// refused, or how often a request was to be sent again.
    @exclusivity(unchecked) var isSpent = false
    /// Whether a connection may carry several transfers at once, as with HTTP/2.
    let mayMultiplex: Bool
    private let isShared: Bool
    /// Whether the size of the receive buffer can be changed.
    private let hasSizableBuffer: Bool
    @exclusivity(unchecked) private(set) var receiveBuffer = ReceiveBuffer.usual
    /// Lists that libcurl reads while the handle lives.
    private let overrides: CurlList
    private let proxyFields: CurlList
    let proxy: Proxy?
    let unixSocketPath: String?
    /// For error messages.
    let localEnd: CurlConfiguration.LocalEnd?
    /// What its connections apply.
    let tls: TLSConfiguration

    private let generation = ProcessGeneration.current

    /// Whether a parent process created it before a fork. Then it is unusable.
    var isOfAncestor: Bool { !ProcessGeneration.isCurrent(generation) }

    /// `isShared`: whether other transfers are in the same multi handle and may use its connections. `multi`: that
    /// handle; nil for a transfer that is never run.
    init(
        _ key: ConnectionKey, _ configuration: CurlConfiguration, _ headerLists: CurlHeaderLists, isShared: Bool,
        in multi: CurlMulti? = nil
    ) throws(Unsupported) {
        try CurlLibrary.shared.requireFloor()
        if configuration.unixSocketPath == nil {
            proxy = try configuration.proxy.proxy(for: key.origin)
        } else {
            proxy = nil
        }
        guard let easy = curl_easy_init() else {
            throw Unsupported("libcurl", "there is no memory for another transfer")
        }
        self.key = key
        self.isShared = isShared
        mayMultiplex = key.mayMultiplex
        hasSizableBuffer = !mayMultiplex && CurlLibrary.shared.buffersEachTransfer
        handle = CurlHandle(easy: easy)
        overrides = CurlList(
            CurlTransferOptions.overrides(
                configuration.addressOverrides, for: key.origin, in: configuration.usableFamily))
        proxyFields = CurlList(
            CurlTransferOptions.proxyFields(proxy, to: key.origin, userAgent: configuration.userAgent))
        unixSocketPath = configuration.unixSocketPath
        localEnd = configuration.localEnd
        tls = configuration.tls
        requestOptions = CurlRequestOptions(headerLists)
        let checkedHost = CurlTransferOptions.checkedHost(key.origin, configuration.tls, proxy)
        let speaksTLS = key.origin.scheme == .https || proxy?.kind == .https
        tlsPeer =
            speaksTLS
            ? CurlTLSPeer(checkedHost: checkedHost, steps: multi?.steps ?? CurlSteps(), handle: isShared ? handle : nil)
            : nil
        exchange = CurlExchange(isUnixSocket: unixSocketPath != nil)
        exchange.connection.family = configuration.usableFamily
        exchange.connection.probes = configuration.keepAliveProbes
        if let multi {
            exchange.connection.kept = KeptConnection(
                key, sockets: multi.connections, handle: handle, speaksTLS: speaksTLS, proxy: proxy?.authority,
                isShared: isShared)
        }
        exchange.connection.destinations = DestinationGuard(
            configuration.destinations, origin: key.origin, proxy: proxy, unixSocketPath: unixSocketPath
        ).map(CurlDestinations.init)
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        // From here on `deinit` frees the handle.
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        connectCallbacks()
        exchange.handle = handle
        exchange.connection.message = UnsafePointer(errorBuffer)
        if let multi {
            shim_setopt_close_socket_callback(easy, CurlCallbacks.closeSocket)
            handle.set(CURLOPT_CLOSESOCKETDATA, pointer: Unmanaged.passUnretained(multi.connections).toOpaque())
        }
        try CurlTransferOptions(
            key: key, configuration: configuration, proxy: proxy, overrides: overrides, proxyFields: proxyFields
        ).apply(to: handle)
        if isShared, mayMultiplex { handle.set(CURLOPT_PIPEWAIT, 1) }
    }

    deinit {
        // Its connections belong to another process, so it is not freed.
        guard !isOfAncestor else { return }
        curl_easy_cleanup(handle.easy)
        errorBuffer.deallocate()
    }

    /// Whether running it needs `SignalGuard.brokenPipe`.
    var mayRaiseBrokenPipe: Bool { CurlLibrary.shared.mayRaiseBrokenPipe && tlsPeer != nil }

    /// Whether it goes to the origin of `request`, over the same kind of connections. A member of the transfer, because
    /// its key would be copied.
    func fits(_ request: Request, defaultVersion: VersionPolicy) -> Bool {
        key.fits(request, defaultVersion: defaultVersion)
    }

    /// Whether a proxy is asked for a tunnel (CONNECT).
    var opensTunnel: Bool { proxy.map { $0.opensTunnel(to: key.origin) } ?? false }

    private func connectCallbacks() {
        let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
        shim_setopt_data_callback(handle.easy, CURLOPT_HEADERFUNCTION, CurlCallbacks.header)
        shim_setopt_data_callback(handle.easy, CURLOPT_WRITEFUNCTION, CurlCallbacks.body)
        shim_setopt_data_callback(handle.easy, CURLOPT_READFUNCTION, CurlCallbacks.upload)
        shim_setopt_seek_callback(handle.easy, CurlCallbacks.seek)
        shim_setopt_prerequest_callback(handle.easy, CurlCallbacks.prerequest)
        shim_setopt_open_socket_callback(handle.easy, CurlCallbacks.openSocket)
        shim_setopt_debug_callback(handle.easy, CurlCallbacks.debug)
        let contexts = [
            CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_SEEKDATA, CURLOPT_PREREQDATA,
            CURLOPT_OPENSOCKETDATA, CURLOPT_DEBUGDATA, CURLOPT_TRAILERDATA, CURLOPT_XFERINFODATA,
        ]
        for option in contexts { handle.set(option, pointer: context) }
        handle.set(CURLOPT_PRIVATE, pointer: context)
        handle.set(CURLOPT_ERRORBUFFER, pointer: errorBuffer)
        if opensTunnel {
            shim_setopt_progress_callback(handle.easy, CurlCallbacks.progress)
            handle.set(CURLOPT_NOPROGRESS, 0)
        }
        if let tlsPeer, TLSHardening.shared != nil {
            shim_setopt_ssl_context_callback(handle.easy, TLSHardening.callback)
            handle.set(CURLOPT_SSL_CTX_DATA, pointer: Unmanaged.passUnretained(tlsPeer).toOpaque())
            if isShared { exchange.tlsPeer = tlsPeer }
            if key.origin.scheme == .https, proxy != nil { exchange.clock.tunneledPeer = tlsPeer }
        }
    }

    /// The slot index stored in the transfer of an easy handle.
    static func slot(of easy: UnsafeMutableRawPointer) -> Int32? {
        shim_private(easy).map { Unmanaged<CurlTransfer>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.exchange.slot } }
    }

    /// Called after the exchange. `CurlCallbacks.prerequest` has recorded the endpoints of an established connection.
    func recordEndpoints() {
        let isConnected = exchange.isConnected
        isReused = isConnected && !exchange.connection.wasOpened
        if !isConnected { exchange.connection.route.note(CurlEndpoints(handle)) }
        exchange.connection.end()
    }

    /// Handles what a callback could not report or do at once. Nil when the transfer may continue; otherwise its
    /// result.
    func catchUp() -> TransferResult? {
        guard exchange.stop == nil else { return .done(CURLE_WRITE_ERROR) }
        (exchange.body.isHeld, exchange.body.isWaiting) = (false, false)
        let code = curl_easy_pause(handle.easy, CURLPAUSE_CONT)
        return code == CURLE_OK ? nil : .done(code)
    }

    /// Makes libcurl read in its next step, whether or not its socket has anything. Pausing and going on does that, for this
    /// transfer alone; going on without a pause does nothing.
    func look() {
        curl_easy_pause(handle.easy, CURLPAUSE_RECV)
        curl_easy_pause(handle.easy, CURLPAUSE_CONT)
    }

    /// Limits the bytes read from the socket at once, from the next exchange on, if libcurl allows it: an existing
    /// buffer stays as it is.
    func receive(atOnce bytes: Int) {
        guard hasSizableBuffer, bytes != receiveBuffer,
            shim_setopt_long(handle.easy, CURLOPT_BUFFERSIZE, bytes) == CURLE_OK
        else { return }
        receiveBuffer = bytes
    }

    /// The same before an exchange over HTTP/2 whose response may have a head of `bytes`.
    func receive(headOf bytes: Int) {
        let size = bytes > ReceiveBuffer.usual ? ReceiveBuffer.ofLargeHead : ReceiveBuffer.usual
        guard mayMultiplex, size != receiveBuffer, CurlLibrary.shared.buffersEachTransfer,
            shim_setopt_long(handle.easy, CURLOPT_BUFFERSIZE, size) == CURLE_OK
        else { return }
        receiveBuffer = size
    }

    /// Releases the caller's objects. Received data stays for now.
    func releaseRequest() {
        exchange.end()
        requestOptions.release(handle)
    }

    func clearErrorMessage() { errorBuffer.pointee = 0 }

    /// libcurl's message about the last failure, or about `code` in general.
    func errorMessage(for code: CURLcode) -> String {
        errorBuffer.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorBuffer)
    }
}

import CLibcurl
import HTTPCore

/// One easy handle and everything that libcurl reads from or writes to while it transfers: it carries one exchange after
/// the other, all of them to one origin.
///
/// It is used by one thread at a time, in the multi handle that it was made for.
final class CurlTransfer {
    // One thread at a time has the transfer: to check that at run time, too, would be a good part of what these cost.
    // What each exchange needs lies together: the memory of a transfer that was not in use for a while is far away.

    let key: ConnectionKey
    /// libcurl's callbacks have it, too, by the transfer's address.
    @exclusivity(unchecked) var exchange: CurlExchange
    let handle: CurlHandle
    /// Where libcurl writes its words about a failure.
    private let errorBuffer: UnsafeMutablePointer<CChar>
    /// Nil where no connection speaks TLS, to the origin or to the proxy on the way there.
    let tlsPeer: CurlTLSPeer?
    @exclusivity(unchecked) var requestOptions: CurlRequestOptions
    /// Those of the last response that was delivered.
    @exclusivity(unchecked) var lastBodyByteCount: Int64 = 0
    /// Whether the connection of the last exchange carried a request before.
    @exclusivity(unchecked) private(set) var isReused = false
    /// Whether a connection may carry other transfers at the same time, as HTTP/2's do.
    let mayMultiplex: Bool
    private let isShared: Bool
    /// Whether it receives in pieces of another size if told to.
    private let hasSizableBuffer: Bool
    @exclusivity(unchecked) private(set) var receiveBuffer: Int
    /// Lists libcurl reads from as long as the handle lives.
    private let overrides: CurlList
    /// The proxy on the way to the origin.
    let proxy: Proxy?
    let unixSocketPath: String?

    private let generation = ProcessGeneration.current

    /// Whether a process made it that this one was forked from. Then it carries nothing more.
    var isOfAncestor: Bool { generation != ProcessGeneration.current }

    /// `isShared`: whether other transfers are in the same multi handle, and so may use its connections.
    /// `multi`: that handle; nil for a transfer that is never run.
    init(
        _ key: ConnectionKey, _ configuration: CurlConfiguration, _ headerLists: CurlHeaderLists, isShared: Bool,
        in multi: CurlMulti? = nil
    ) throws(Unsupported) {
        try CurlLibrary.shared.requireFloor()
        guard let easy = curl_easy_init() else { throw Unsupported("a new transfer", "libcurl has no memory for it") }
        self.key = key
        self.isShared = isShared
        mayMultiplex = key.version == .http2PriorKnowledge || (key.origin.scheme == .https && key.version != .http1)
        hasSizableBuffer = !mayMultiplex && CurlLibrary.shared.buffersEachTransfer
        receiveBuffer = ReceiveBuffer.usual
        handle = CurlHandle(easy: easy)
        overrides = CurlList(CurlTransferOptions.overrides(configuration.addressOverrides, for: key.origin))
        let proxy = try Self.orCleanUp(easy) { () throws(Unsupported) in
            configuration.unixSocketPath == nil ? try configuration.proxy.proxy(for: key.origin) : nil
        }
        self.proxy = proxy
        unixSocketPath = configuration.unixSocketPath
        requestOptions = CurlRequestOptions(
            headerLists,
            mayReuse: key.version != .http2PriorKnowledge || CurlLibrary.shared.reusesPriorKnowledge)
        let checkedHost = CurlTransferOptions.checkedHost(key.origin, configuration.tls, proxy)
        let speaksTLS = key.origin.scheme == .https || proxy?.kind == .https
        tlsPeer =
            speaksTLS
            ? CurlTLSPeer(checkedHost: checkedHost, steps: multi?.steps ?? CurlSteps(), handle: isShared ? handle : nil)
            : nil
        exchange = CurlExchange(isUnixSocket: unixSocketPath != nil)
        if let multi {
            exchange.connection.kept = KeptConnection(
                key, sockets: multi.connections, handle: handle, speaksTLS: speaksTLS, proxy: proxy?.authority)
            if KeptConnection.needsWatch(key) { exchange.watchedSteps = multi.steps }
        }
        exchange.connection.destinations = DestinationGuard(
            configuration.destinations, origin: key.origin, proxy: proxy, unixSocketPath: unixSocketPath
        ).map(CurlDestinations.init)
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        // From here on `deinit` frees what was made.
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        connectCallbacks()
        exchange.handle = handle
        if let multi {
            shim_setopt_close_socket_callback(easy, CurlCallbacks.closeSocket)
            handle.set(CURLOPT_CLOSESOCKETDATA, pointer: Unmanaged.passUnretained(multi.connections).toOpaque())
        }
        try CurlTransferOptions(
            key: key, configuration: configuration, proxy: proxy, overrides: overrides, receiveBuffer: receiveBuffer
        ).apply(to: handle)
        // On plain http of no known version it would hold everything back until the first response is there.
        if isShared, mayMultiplex { handle.set(CURLOPT_PIPEWAIT, 1) }
    }

    private static func orCleanUp<Value>(
        _ easy: UnsafeMutableRawPointer, _ make: () throws(Unsupported) -> Value
    ) throws(Unsupported) -> Value {
        do { return try make() } catch {
            curl_easy_cleanup(easy)
            throw error
        }
    }

    deinit {
        // libcurl's notes of it lead to connections that are another process's. They are left where they are.
        guard !isOfAncestor else { return }
        curl_easy_cleanup(handle.easy)
        errorBuffer.deallocate()
    }

    /// Whether running it needs a `BrokenPipeGuard`.
    var mayRaiseBrokenPipe: Bool { CurlLibrary.shared.mayRaiseBrokenPipe && tlsPeer != nil }

    /// Whether it must carry no other exchange.
    var isSpent: Bool { requestOptions.isSpent }

    /// Whether it leads where `request` goes, over connections of the same kind. Asked of the transfer, for who asks its key
    /// copies that first.
    func fits(_ request: Request, defaultVersion: VersionPolicy) -> Bool {
        key.fits(request, defaultVersion: defaultVersion)
    }

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
            CURLOPT_OPENSOCKETDATA, CURLOPT_DEBUGDATA, CURLOPT_TRAILERDATA,
        ]
        for option in contexts { handle.set(option, pointer: context) }
        handle.set(CURLOPT_PRIVATE, pointer: context)
        handle.set(CURLOPT_ERRORBUFFER, pointer: errorBuffer)
        if let tlsPeer, TLSHardening.shared != nil {
            shim_setopt_ssl_context_callback(handle.easy, TLSHardening.callback)
            handle.set(CURLOPT_SSL_CTX_DATA, pointer: Unmanaged.passUnretained(tlsPeer).toOpaque())
            if isShared { exchange.tlsPeer = tlsPeer }
        }
    }

    /// The place that was noted in the transfer of an easy handle.
    static func slot(of easy: UnsafeMutableRawPointer) -> Int32? {
        shim_private(easy).map { Unmanaged<CurlTransfer>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.exchange.slot } }
    }

    /// The connection of the exchange, and before it has one that of the last.
    var route: ConnectionEndpoints { exchange.connection.route }

    /// Once the exchange is over. Of a connection that stood, `CurlCallbacks.prerequest` has told the ends.
    func recordEndpoints() {
        let isConnected = exchange.isConnected
        isReused = isConnected && !exchange.connection.wasOpened
        if !isConnected { exchange.connection.route.note(CurlEndpoints(handle)) }
    }

    /// Sees to what a callback could not tell libcurl, or not do at once. Nil when the transfer may go on; how it ended
    /// otherwise.
    func catchUp() -> TransferResult? {
        guard exchange.stop == nil else { return .done(CURLE_WRITE_ERROR) }
        exchange.isHeld = false
        let code = curl_easy_pause(handle.easy, CURLPAUSE_CONT)
        return code == CURLE_OK ? nil : .done(code)
    }

    /// Takes that many bytes from the socket in one go at most, from the next exchange on, where libcurl lets it: a buffer
    /// that it still has stays as it is.
    func receive(atOnce bytes: Int) {
        guard hasSizableBuffer, bytes != receiveBuffer,
            shim_setopt_long(handle.easy, CURLOPT_BUFFERSIZE, bytes) == CURLE_OK
        else { return }
        receiveBuffer = bytes
    }

    /// Lets go of what belongs to the caller. What came stays for now.
    func releaseRequest() {
        exchange.end()
        requestOptions.release(handle)
    }

    /// Forgets the words of the last failure.
    func clearErrorMessage() { errorBuffer.pointee = 0 }

    /// What libcurl says of the last failure, or of `code` in general.
    func errorMessage(for code: CURLcode) -> String {
        errorBuffer.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorBuffer)
    }
}

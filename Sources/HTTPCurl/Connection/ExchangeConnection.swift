import CLibcurl
import HTTPSupport

/// The connection of one exchange: whether libcurl may open one, whether it may use the one it has chosen, and whether
/// the request was sent. libcurl asks for the first two decisions; its own would differ.
struct ExchangeConnection {
    /// The endpoints of the connection; before there is one, those of the previous exchange.
    var route: ConnectionEndpoints
    /// Nil in a transfer that is never run.
    var kept: KeptConnection?
    /// libcurl takes an address that it need not look up whatever its IP version: `localhost` has both.
    var family = CurlConfiguration.AddressFamily.any
    /// Nil for none.
    var probes: CurlConfiguration.KeepAliveProbes?
    /// Nil if any destination is allowed.
    var destinations: CurlDestinations?
    /// Set when a connection is ready: the request is sent then.
    private(set) var isReady = false
    /// Whether it opened a connection, or tried to.
    private(set) var wasOpened = false
    /// Whether the engine was kept from resending the request by itself.
    private(set) var hasRefusedResend = false
    /// Whether the engine wanted to resend it in HTTP/1.1, because the server had reset its stream with HTTP_1_1_REQUIRED. To
    /// libcurl it is then complete, even in the middle of the response.
    private(set) var isHTTP1Required = false
    /// libcurl's last message about the transfer; nil in one that is never run.
    var message: UnsafePointer<CChar>?
    /// Whether the chosen kept connection has changed since the last response, or is in use. Nothing was sent on it.
    private(set) var isUnfit = false
    /// About how long the request's head is over HTTP/2.
    private(set) var headBytes = 0
    /// Whether that was too long for the connection, which speaks HTTP/2. Nothing was sent.
    private(set) var isHeadTooLong = false
    /// Whether the current connection speaks HTTP/2.
    private(set) var isHTTP2 = false
    /// Whether it has just turned out not to, which others may wait to know. Taken by the event loop.
    var isNewHTTP1 = false
    /// Whether it was told to wait for such a connection no longer.
    var wasWoken = false
    /// The facts of the current connection; before there is one, of the last.
    private var connectionInfo: ConnectionInfo?
    /// The addresses that were tried.
    private var attempts = AddressAttempts()
    /// Whether the system had no descriptor for a socket.
    private(set) var isOutOfDescriptors = false
    /// The last socket that libcurl waited for; nil before it told of one, CURL_SOCKET_BAD once it waits for none.
    private var awaited: curl_socket_t?

    /// The field Keep-Alive of the response, over HTTP/1.
    var keepAlive: String?
    /// How often libcurl has told of its progress before the connection was ready.
    private var earlyProgressCount = 0

    init(isUnixSocket: Bool) { route = ConnectionEndpoints(isUnixSocket: isUnixSocket) }

    /// Reset for the next exchange.
    mutating func begin(headBytes: Int) {
        self.headBytes = headBytes
        isHeadTooLong = false
        isReady = false
        wasOpened = false
        hasRefusedResend = false
        isHTTP1Required = false
        isUnfit = false
        isNewHTTP1 = false
        wasWoken = false
        isOutOfDescriptors = false
        earlyProgressCount = 0
        awaited = nil
        attempts.begin()
        destinations?.begin()
    }

    /// Whether a connection may be opened. Not once the request was sent on another: after a dead kept connection
    /// libcurl would resend it, even a POST, and some versions would send it to an earlier target of the handle. The
    /// call's plan decides about retries.
    mutating func mayOpen() -> Bool {
        noteResend()
        if !hasRefusedResend { wasOpened = true }
        return !hasRefusedResend
    }

    /// Before the request is sent again.
    private mutating func noteResend() {
        hasRefusedResend = isReady
        guard isReady, let message else { return }
        // Without a byte of the response libcurl complains of that, too, if it is not for another reason that it sends it
        // again. The next failure replaces the message.
        let words = String(cString: message)
        if words.contains("HTTP_1_1_REQUIRED") || (isHTTP2 && words.hasPrefix("Empty reply")) { isHTTP1Required = true }
    }

    /// The same, and whether it may connect to `address`.
    mutating func mayOpen(to address: UnsafePointer<curl_sockaddr>) -> Bool {
        guard family == .any || CurlDestinations.family(of: address) ?? family == family else { return false }
        // A request that was sent does not go to another address, whatever the policy allows.
        if !isReady, let destinations, !destinations.mayConnect(to: address) { return false }
        if !isReady { attempts.record(address) }
        return mayOpen()
    }

    /// nghttp2 drops a head of more than 64 KiB (NGHTTP2_MAX_HEADERSLEN), and on a kept connection libcurl then waits for
    /// ever. The rest is for what libcurl adds: the names of the pseudo-header fields, Accept and Content-Length.
    static let longestHTTP2Head = (64 << 10) - 512

    /// In bytes.
    static let longestAnswerToConnect = 64 << 10

    /// Whether libcurl may go on. It reads the answer of a proxy to CONNECT byte by byte, in one step until it ends or pauses,
    /// and tells of its progress after each.
    mutating func mayReadAnswerToConnect() -> Bool {
        if !isReady { earlyProgressCount += 1 }
        return !isAnswerToConnectTooLong
    }

    var isAnswerToConnectTooLong: Bool { earlyProgressCount > Self.longestAnswerToConnect }

    /// The exchange is over.
    mutating func end() {
        kept?.endUse()
        if isReady, !isHTTP2 { kept?.sockets.noteIdle(route, keepAlive) }
        keepAlive = nil
    }

    /// The facts of the connection or, if none was established, of the attempts.
    var info: ConnectionInfo? {
        if isReady || !wasOpened { return isReady ? connectionInfo : nil }
        return kept?.newInfo(attempts.addresses, isOpen: false)
    }

    /// The refused destination, if it made the exchange fail.
    var refusedDestination: DestinationGuard.Refusal? { destinations?.refusal(afterOpening: wasOpened) }

    /// The result of opening a socket.
    mutating func note(_ socket: curl_socket_t) {
        if socket != CURL_SOCKET_BAD {
            kept?.sockets.add(socket)
        } else if SystemError.current.meansOutOfDescriptors {
            isOutOfDescriptors = true
        }
    }

    /// libcurl waits for `socket`, or no longer does.
    mutating func noteWait(for socket: curl_socket_t, _ action: CInt) {
        if action != CURL_POLL_REMOVE { awaited = socket } else if awaited == socket { awaited = CURL_SOCKET_BAD }
    }

    /// Whether libcurl waits for no socket any more.
    var awaitsNothing: Bool { awaited == CURL_SOCKET_BAD }

    /// A connection between those endpoints is ready, and the request is about to be sent. False if it must not be: the
    /// second time, to a refused destination, and on an unusable kept connection.
    mutating func maySend(between ends: CurlEndpoints) -> Bool {
        let hasMoved = route.localPort != ends.localPort || route.remotePort != ends.remotePort
        route.note(ends)
        noteResend()
        isUnfit = false
        guard !hasRefusedResend, destinations?.mayUse(ends) ?? true else { return false }
        let use: KeptConnection.Use?
        if wasOpened {
            connectionInfo = kept?.newInfo(attempts.addresses)
            use = kept?.useOfNew()
            let socket = kept?.sockets.noteConnection(route, connectionInfo)
            // One of HTTP/1 is closed by the call that times out on it.
            if use == .http2, let socket { probes?.limitSending(on: socket) }
        } else {
            if connectionInfo == nil || hasMoved { connectionInfo = kept?.sockets.info(of: route) }
            use = kept?.useOfKept(route)
            isUnfit = use == .unfit
            guard !isUnfit else { return false }
        }
        isHTTP2 = use == .http2
        isNewHTTP1 = wasOpened && !isHTTP2
        isHeadTooLong = isHTTP2 && headBytes > Self.longestHTTP2Head
        isReady = !isHeadTooLong
        return isReady
    }
}

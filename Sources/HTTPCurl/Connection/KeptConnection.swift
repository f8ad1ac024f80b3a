import CLibcurl

/// Checks whether a connection may carry the next request, and in which version.
///
/// Between two requests an HTTP/1 server has nothing to send. Any bytes that do arrive (a second response, a 408 before
/// the server closes, the end of the connection) would be taken for the response to the next request (RFC 9112 §6.3,
/// §9.5), as libcurl does. Over HTTP/2 frames may arrive at any time, and each belongs to a stream.
///
/// Only an HTTP/2 connection carries several requests at once. Whether it is one was agreed by ALPN when it was opened
/// (RFC 9113 §3.2). libcurl believes the status line instead, and then shares all connections to that host, also those
/// of transfers that are limited to HTTP/1.1.
struct KeptConnection {
    /// What a connection may be used for.
    enum Use {
        case unfit, http1, http2
    }

    /// All connections of the multi handle.
    let sockets: CurlConnectionSockets
    private let handle: CurlHandle
    private let speaksTLS: Bool
    /// Host and port of the proxy; nil for none.
    private let proxy: String?
    /// Whether the exchange may use HTTP/2, and libcurl choose a connection that another transfer uses.
    private let mayMultiplex: Bool
    /// Whether there are other transfers in the multi handle.
    private let isShared: Bool
    /// The connection over TLS on which the exchange reads HTTP/1.
    private var used: OpaquePointer?

    init(
        _ key: ConnectionKey, sockets: CurlConnectionSockets, handle: CurlHandle, speaksTLS: Bool, proxy: String?,
        isShared: Bool
    ) {
        self.sockets = sockets
        self.handle = handle
        self.speaksTLS = speaksTLS
        self.proxy = proxy
        self.isShared = isShared
        mayMultiplex = key.mayMultiplex
    }

    /// OpenSSL's object for the connection of the transfer; nil if it uses no TLS, or another library.
    private var tlsConnection: OpaquePointer? { speaksTLS ? OpaquePointer(shim_tls_connection(handle.easy)) : nil }

    /// Records a new connection for which `addresses` were tried. `isOpen`: whether it was established.
    func newInfo(_ addresses: [ConnectionInfo.Address], isOpen: Bool = true) -> ConnectionInfo {
        let tls = (isOpen ? tlsConnection : nil).flatMap { connection in OpenSSLSession.shared?.info(of: connection) }
        return ConnectionInfo(addresses: addresses, proxy: proxy, tls: tls)
    }

    /// The use of a connection that was opened for this exchange.
    mutating func useOfNew() -> Use {
        let connection = tlsConnection
        let isHTTP2 = connection.flatMap(OpenSSLConnection.speaksHTTP2) ?? false
        if let connection, isShared, !isHTTP2 { noteUse(of: connection) }
        return isHTTP2 ? .http2 : .http1
    }

    /// The use of a kept connection that libcurl has chosen. An HTTP/1 connection must be unchanged since its last
    /// response, and free.
    mutating func useOfKept(_ route: ConnectionEndpoints) -> Use {
        let connection = tlsConnection
        if let connection, let isHTTP2 = OpenSSLConnection.speaksHTTP2(connection) {
            // Some versions of libcurl choose one even for a request limited to HTTP/1.1, or one that has ended in order.
            if isHTTP2 { return mayMultiplex && !OpenSSLConnection.hasEnded(connection) ? .http2 : .unfit }
            if OpenSSLConnection.shared?.hasPending(connection) == true { return .unfit }
        }
        if sockets.isOverdue(route) || sockets.hasArrivals(route) { return .unfit }
        guard let connection, isShared else { return .http1 }
        if let user = sockets.user(of: connection), user.easy != handle.easy,
            shim_tls_connection(user.easy) == UnsafeMutableRawPointer(connection)
        {
            return .unfit
        }
        noteUse(of: connection)
        return .http1
    }

    /// The exchange is over: its handle is not asked about a connection any more.
    mutating func endUse() {
        guard let connection = used.take() else { return }
        sockets.removeUser(handle, of: connection)
    }

    private mutating func noteUse(of connection: OpaquePointer) {
        used = connection
        sockets.noteUser(handle, of: connection)
    }
}

import CLibcurl
import HTTPCore

/// Checks whether a kept connection may carry the next request.
///
/// Between two requests an HTTP/1 server has nothing to send. Any bytes that do arrive (a second response, a 408 before
/// the server closes, the end of the connection) would be taken for the response to the next request (RFC 9112 §6.3,
/// §9.5), as libcurl does. Over HTTP/2 frames may arrive at any time, and each belongs to a stream.
struct KeptConnection {
    private let sockets: CurlConnectionSockets
    private let handle: CurlHandle
    private let version: VersionPolicy
    private let speaksTLS: Bool
    /// Host and port of the proxy; nil for none.
    private let proxy: String?
    /// Whether nothing bounds how much of such a connection libcurl reads in one step.
    private let needsWatch: Bool

    init(_ key: ConnectionKey, sockets: CurlConnectionSockets, handle: CurlHandle, speaksTLS: Bool, proxy: String?) {
        self.sockets = sockets
        self.handle = handle
        version = key.version
        self.speaksTLS = speaksTLS
        self.proxy = proxy
        needsWatch = Self.needsWatch(key)
    }

    static func needsWatch(_ key: ConnectionKey) -> Bool {
        let mayReadFrames =
            key.version == .http2PriorKnowledge || (key.origin.scheme == .https && key.version != .http1)
        return mayReadFrames && (key.origin.scheme == .http || OpenSSLReads.shared == nil)
    }

    func noteSocket(_ socket: curl_socket_t) { sockets.add(socket, needsWatch: needsWatch) }

    /// Replaces the connections of the multi handle, which belong to another process.
    func leaveAll() { sockets.leaveAll() }

    /// A new connection between those endpoints is ready.
    func noteOpened(_ route: ConnectionEndpoints, _ info: ConnectionInfo?) {
        sockets.noteConnection(CurlConnectionSockets.Ends(route), info)
    }

    /// Records a new connection for which `addresses` were tried. `isOpen`: whether it was established.
    func newInfo(_ addresses: [ConnectionInfo.Address], isOpen: Bool = true) -> ConnectionInfo {
        let connection = isOpen && speaksTLS ? OpaquePointer(shim_tls_connection(handle.easy)) : nil
        let tls = connection.flatMap { connection in OpenSSLSession.shared?.info(of: connection) }
        return ConnectionInfo(addresses: addresses, proxy: proxy, tls: tls)
    }

    /// The facts of the connection between those endpoints.
    func info(of route: ConnectionEndpoints) -> ConnectionInfo? { sockets.info(CurlConnectionSockets.Ends(route)) }

    /// The mark of the connection between those endpoints that is set when it is ended because of a flood; nil if it is
    /// not watched.
    func mark(_ route: ConnectionEndpoints) -> FloodMark? {
        needsWatch ? sockets.mark(CurlConnectionSockets.Ends(route)) : nil
    }

    /// Whether the connection chosen by libcurl is unchanged since the last response.
    func isFit(_ route: ConnectionEndpoints) -> Bool {
        guard version != .http2PriorKnowledge else { return true }
        let connection = speaksTLS ? OpaquePointer(shim_tls_connection(handle.easy)) : nil
        if let connection, let openSSL = OpenSSLConnection.shared {
            if openSSL.speaksHTTP2(connection) { return true }
            if openSSL.hasPending(connection) { return false }
        } else if speaksTLS, version != .http1 {
            // Another TLS library does not reveal the negotiated version.
            return true
        }
        return !sockets.hasArrivals(CurlConnectionSockets.Ends(route))
    }
}

/// OpenSSL's facts of a connection.
private struct OpenSSLConnection: Sendable {
    private typealias AgreedProtocol =
        @convention(c) (OpaquePointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<CUnsignedInt>)
        -> Void
    private typealias HasPending = @convention(c) (OpaquePointer) -> CInt

    private let agreedProtocol: AgreedProtocol
    private let pending: HasPending

    static let shared: OpenSSLConnection? = {
        guard CurlLibrary.shared.usesOpenSSL,
            let agreedProtocol = SystemLibrary.openSSL.function("SSL_get0_alpn_selected", as: AgreedProtocol.self),
            let pending = SystemLibrary.openSSL.function("SSL_has_pending", as: HasPending.self)
        else { return nil }
        return OpenSSLConnection(agreedProtocol: agreedProtocol, pending: pending)
    }()

    /// Whether ALPN negotiated HTTP/2.
    func speaksHTTP2(_ connection: OpaquePointer) -> Bool {
        var name: UnsafePointer<UInt8>?
        var length: CUnsignedInt = 0
        agreedProtocol(connection, &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }

    /// Whether it has unread bytes.
    func hasPending(_ connection: OpaquePointer) -> Bool { pending(connection) != 0 }
}

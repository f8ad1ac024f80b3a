import CLibcurl
import HTTPSupport

/// Rules that libcurl does not enforce or report, but OpenSSL can, through the context of each new TLS connection:
/// - A connection cut without close_notify does not end a body (RFC 8446 §6.1). libcurl ignores this, so the arrival of
///   that alert is recorded here.
/// - A certificate names its hosts in subjectAltName. Its common name is ignored (RFC 9110 §4.3.4).
/// - It is recorded whether the server requested a certificate that the client does not have. The alert of TLS 1.2 does
///   not say so. So is why a certificate was refused, which libcurl does not tell behind a TLS proxy.
/// - The amount that one step of libcurl reads is bounded (`OpenSSLReads`).
///
/// The functions are those of the OpenSSL that libcurl is linked with; with another TLS library this does nothing.
struct TLSHardening: Sendable {
    private typealias FreeExtra =
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, OpaquePointer?, CInt, Int, OpaquePointer?) -> Void
    private typealias NewIndex =
        @convention(c) (CInt, Int, OpaquePointer?, OpaquePointer?, OpaquePointer?, FreeExtra) -> CInt
    private typealias CertificateRequest =
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt
    private typealias Event = @convention(c) (OpaquePointer?, CInt, CInt) -> Void

    /// SSL_OP_IGNORE_UNEXPECTED_EOF.
    private static let ignoreUnexpectedEnd: UInt64 = 1 << 7
    /// SSL_CB_READ_ALERT.
    private static let readAlert: CInt = 0x4004
    /// SSL_CB_HANDSHAKE_START.
    private static let handshakeStart: CInt = 0x10
    /// SSL_CB_CONNECT_EXIT.
    private static let handshakeExit: CInt = 0x1002
    /// CRYPTO_EX_INDEX_SSL_CTX.
    private static let contextClass: CInt = 1
    /// X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, and X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS.
    private static let hostFlags: CUnsignedInt = 0x20 | 0x4

    private let clearOptions: @convention(c) (UnsafeMutableRawPointer, UInt64) -> UInt64
    private let parameters: @convention(c) (UnsafeMutableRawPointer) -> OpaquePointer?
    private let setHostFlags: @convention(c) (OpaquePointer, CUnsignedInt) -> Void
    private let setHost: @convention(c) (OpaquePointer, UnsafePointer<CChar>, Int) -> CInt
    private let setAddress: @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> CInt
    private let setExtra: @convention(c) (UnsafeMutableRawPointer, CInt, UnsafeMutableRawPointer) -> CInt
    private let extra: @convention(c) (OpaquePointer, CInt) -> UnsafeMutableRawPointer?
    private let contextOf: @convention(c) (OpaquePointer) -> OpaquePointer?
    private let setCertificateRequest: @convention(c) (UnsafeMutableRawPointer, CertificateRequest) -> Void
    private let setEvent: @convention(c) (UnsafeMutableRawPointer, Event) -> Void
    private let verifyMode: @convention(c) (OpaquePointer) -> CInt
    private let verifyResult: @convention(c) (OpaquePointer) -> Int
    /// The index at which a context stores its `CurlTLSConnection`.
    private let connectionIndex: CInt

    /// Nil unless libcurl uses OpenSSL.
    static let shared = try? TLSHardening(CurlLibrary.shared.openSSL)

    private init(_ library: SystemLibrary) throws(SystemLibrary.MissingFunction) {
        clearOptions = try library("SSL_CTX_clear_options")
        parameters = try library("SSL_CTX_get0_param")
        setHostFlags = try library("X509_VERIFY_PARAM_set_hostflags")
        setHost = try library("X509_VERIFY_PARAM_set1_host")
        setAddress = try library("X509_VERIFY_PARAM_set1_ip_asc")
        setExtra = try library("SSL_CTX_set_ex_data")
        extra = try library("SSL_CTX_get_ex_data")
        contextOf = try library("SSL_get_SSL_CTX")
        setCertificateRequest = try library("SSL_CTX_set_client_cert_cb")
        setEvent = try library("SSL_CTX_set_info_callback")
        verifyMode = try library("SSL_get_verify_mode")
        verifyResult = try library("SSL_get_verify_result")
        let newIndex: NewIndex = try library("CRYPTO_get_ex_new_index")
        connectionIndex = newIndex(Self.contextClass, 0, nil, nil, nil, Self.free)
    }

    /// Prepares a context for a connection of `peer`.
    private func apply(to context: UnsafeMutableRawPointer, for peer: CurlTLSPeer) -> Bool {
        _ = clearOptions(context, Self.ignoreUnexpectedEnd)
        if keep(CurlTLSConnection(peer.steps), in: context, for: peer) {
            // Called only if the client has no certificate.
            setCertificateRequest(context, Self.certificateRequest)
            setEvent(context, Self.event)
        }
        return peer.checkedHost.map { check($0, in: context) } ?? true
    }

    private func check(_ host: String, in context: UnsafeMutableRawPointer) -> Bool {
        guard let parameters = parameters(context) else { return false }
        setHostFlags(parameters, Self.hostFlags)
        let name = HostName.canonical(host)
        return IPAddress.bytes(of: host) != nil
            ? setAddress(parameters, name) == 1 : setHost(parameters, name, 0) == 1
    }

    /// Owned by the context: a connection may outlive the transfer it was opened for.
    private func keep(
        _ connection: CurlTLSConnection, in context: UnsafeMutableRawPointer, for peer: CurlTLSPeer
    ) -> Bool {
        guard connectionIndex >= 0 else { return false }
        let owned = Unmanaged.passRetained(connection)
        guard setExtra(context, connectionIndex, owned.toOpaque()) == 1 else {
            owned.release()
            return false
        }
        peer.connection = connection
        return true
    }

    private static let free: FreeExtra = { _, connection, _, _, _, _ in
        if let connection { Unmanaged<CurlTLSConnection>.fromOpaque(connection).release() }
    }

    private static let certificateRequest: CertificateRequest = { connection, _, _ in
        shared?.find(connection)?.wantsCertificate = true
        return 0
    }

    private static let event: Event = { connection, place, value in
        if place == handshakeStart, let connection, let state = shared?.find(connection) {
            OpenSSLReads.shared?.bound(connection, by: state)
        }
        if place == handshakeExit, value > 0, CurlLibrary.shared.missesResets, let connection,
            OpenSSLConnection.speaksHTTP2(connection) == true
        {
            shared?.find(connection)?.holdsEnd = true
        }
        if place == handshakeExit, value <= 0, let connection, let shared, shared.verifyMode(connection) != 0 {
            shared.find(connection)?.refusal = shared.verifyResult(connection)
        }
        // The lower byte is the description of the alert; 0 is close_notify.
        if place == readAlert, value & 0xFF == 0 { shared?.find(connection)?.wasClosed = true }
    }

    /// The facts of a connection, by OpenSSL's object.
    fileprivate func find(_ connection: OpaquePointer?) -> CurlTLSConnection? {
        guard let connection, let context = contextOf(connection), let pointer = extra(context, connectionIndex) else {
            return nil
        }
        return Unmanaged<CurlTLSConnection>.fromOpaque(pointer).takeUnretainedValue()
    }

    static let callback: shim_ssl_context_callback = { _, context, owner in
        guard let context, let owner, let strictness = shared else { return CURLE_OK }
        let peer = Unmanaged<CurlTLSPeer>.fromOpaque(owner).takeUnretainedValue()
        peer.handshakeStart = .now
        return strictness.apply(to: context, for: peer) ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
    }
}

/// The facts of one TLS connection. Used only by the thread that runs the connection's multi handle.
final class CurlTLSConnection {
    /// Whether the server requested a certificate and got none.
    fileprivate(set) var wantsCertificate = false
    /// Why the certificate was refused, by OpenSSL's numbers; 0 if it was not.
    fileprivate(set) var refusal = 0
    /// Whether close_notify has arrived.
    fileprivate(set) var wasClosed = false
    /// Whether a request that did not open it was sent on it.
    fileprivate(set) var wasReused = false
    private let steps: CurlSteps
    // Only that thread uses it; the compiler cannot check that.
    @exclusivity(unchecked) private var budget = ReadBudget()
    /// Whether libcurl must not know of the end of the connection at once.
    fileprivate(set) var holdsEnd = false
    @exclusivity(unchecked) private var end = HeldEnd()

    init(_ steps: CurlSteps) { self.steps = steps }

    /// Whether the current step may read more of the connection.
    func mayRead() -> Bool {
        if holdsEnd, !end.mayRead(in: steps.number) { return false }
        return budget.mayRead(in: steps.number) { .now }
    }

    /// Whether what was read may be known: the first bytes of a record (RFC 8446 §5.1), or none at the end.
    func mayKnow(_ head: UnsafeRawBufferPointer) -> Bool {
        guard holdsEnd else { return true }
        guard head.count == OpenSSLReads.recordHead else { return !head.isEmpty || end.mayEnd(in: steps.number) }
        // An alert has two bytes. TLS 1.3 encrypts it, which adds 17; no frame is as short (RFC 9113 §4.1).
        if head[0] == 21 || (head[0] == 23 && head[3] == 0 && head[4] == 2 + 17) { end.hold() }
        return true
    }
}

/// The peer of a transfer's TLS connections.
final class CurlTLSPeer {
    /// The host to verify; nil if verification is off, or if a TLS connection may go to a proxy first, whose name
    /// differs.
    let checkedHost: String?
    /// Finds the current connection where transfers share them.
    private let handle: CurlHandle?
    /// The steps of the multi handle of the connections.
    let steps: CurlSteps
    /// The current connection; until there is one, the last opened. Behind a TLS proxy that is the one to the server,
    /// which is opened last.
    fileprivate(set) var connection: CurlTLSConnection?
    /// When the last handshake began: behind a proxy that speaks TLS itself the one with the server, which comes second.
    fileprivate(set) var handshakeStart: TimePoint?

    init(checkedHost: String?, steps: CurlSteps, handle: CurlHandle?) {
        self.checkedHost = checkedHost
        self.steps = steps
        self.handle = handle
    }

    /// Whether the server requested a certificate and got none.
    var wantsCertificate: Bool { connection?.wantsCertificate ?? false }

    /// Whether an attacker may have ended the connection. False if that is unknown.
    var lacksCloseNotify: Bool { connection.map { !$0.wasClosed } ?? false }

    /// The connection for the transfer was chosen. If it is not new, another transfer may have opened it.
    func noteConnection(isNew: Bool) {
        guard let handle, let strictness = TLSHardening.shared else { return }
        connection = strictness.find(OpaquePointer(shim_tls_connection(handle.easy)))
        if !isNew { connection?.wasReused = true }
    }
}

#if canImport(CLibcurl)
import CLibcurl

/// Two things that libcurl is lax about and OpenSSL can be told, through the context of each new TLS connection:
/// - a connection that is cut without close_notify is not the end of a body (RFC 8446 §6.1);
/// - a certificate names its hosts in subjectAltName; its common name counts for nothing (RFC 9110 §4.3.4).
///
/// The functions are those of the OpenSSL that libcurl is linked with; with another TLS library this does nothing.
struct OpenSSLStrictness: Sendable {
    private typealias ClearOptions = @convention(c) (UnsafeMutableRawPointer, UInt64) -> UInt64
    private typealias Parameters = @convention(c) (UnsafeMutableRawPointer) -> OpaquePointer?
    private typealias SetHostFlags = @convention(c) (OpaquePointer, CUnsignedInt) -> Void
    private typealias SetHost = @convention(c) (OpaquePointer, UnsafePointer<CChar>, Int) -> CInt
    private typealias SetAddress = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> CInt

    /// SSL_OP_IGNORE_UNEXPECTED_EOF.
    private static let ignoreUnexpectedEnd: UInt64 = 1 << 7
    /// X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, and X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS.
    private static let hostFlags: CUnsignedInt = 0x20 | 0x4

    private let clearOptions: ClearOptions
    private let parameters: Parameters
    private let setHostFlags: SetHostFlags
    private let setHost: SetHost
    private let setAddress: SetAddress

    /// Nil where libcurl does not use OpenSSL.
    static let shared: OpenSSLStrictness? = {
        guard CurlLibrary.shared.usesOpenSSL,
            let clearOptions = CSymbol.find("SSL_CTX_clear_options", as: ClearOptions.self),
            let parameters = CSymbol.find("SSL_CTX_get0_param", as: Parameters.self),
            let setHostFlags = CSymbol.find("X509_VERIFY_PARAM_set_hostflags", as: SetHostFlags.self),
            let setHost = CSymbol.find("X509_VERIFY_PARAM_set1_host", as: SetHost.self),
            let setAddress = CSymbol.find("X509_VERIFY_PARAM_set1_ip_asc", as: SetAddress.self)
        else { return nil }
        return OpenSSLStrictness(
            clearOptions: clearOptions, parameters: parameters, setHostFlags: setHostFlags, setHost: setHost,
            setAddress: setAddress)
    }()

    /// Applies both to a context for a connection to `host`; with no host only the first.
    func apply(to context: UnsafeMutableRawPointer, host: String?) -> Bool {
        _ = clearOptions(context, Self.ignoreUnexpectedEnd)
        guard let host else { return true }
        guard let parameters = parameters(context) else { return false }
        setHostFlags(parameters, Self.hostFlags)
        if AddressBlock.address(host) != nil {
            let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
            return setAddress(parameters, bare) == 1
        }
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        return setHost(parameters, name, 0) == 1
    }

    static let callback: shim_ssl_context_callback = { _, context, lane in
        guard let context, let lane, let strictness = shared else { return CURLE_OK }
        let host = Unmanaged<CurlTLSPeer>.fromOpaque(lane).takeUnretainedValue().checkedHost
        return strictness.apply(to: context, host: host) ? CURLE_OK : CURLE_SSL_CONNECT_ERROR
    }
}

/// The host whose name a lane's TLS connections must be certified for; nil where the check is off, or where a TLS
/// connection may lead to a proxy first, whose name differs.
final class CurlTLSPeer: Sendable {
    let checkedHost: String?

    init(checkedHost: String?) { self.checkedHost = checkedHost }
}
#endif

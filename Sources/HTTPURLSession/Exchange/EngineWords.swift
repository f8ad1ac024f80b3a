/// The meaning of libcurl's messages, for a URLSession that uses libcurl.
///
/// FoundationNetworking does not pass on libcurl's codes and reports most failures as unknown. It first looks at the
/// error number of the last failed connection: if one address of a host refused and another accepted, it reports any
/// later failure as a refused connection. The messages therefore take precedence over its codes. A message that may
/// contain a host name is matched only at its start, and first, so that no name is mistaken for another message.
enum EngineWords {
    static func meaning(of message: String, isRefused: Bool) -> SessionFailure.Meaning? {
        if let meaning = openings.first(where: { message.hasPrefix($0.words) })?.meaning {
            switch meaning {
            case .refused: return isRefused ? .refused : .unreachable
            case .tls: return .tls(tlsReason(message))
            // In TLS 1.3 the alert about a client certificate arrives in place of the response.
            case .closed where message.contains("alert"): return .tls(tlsReason(message))
            case .closed where message.contains("unexpected eof"): return .truncated
            default: return meaning
            }
        }
        if message.hasPrefix("HTTP/2 stream"), let end = streamEnds.first(where: { message.contains($0.words) }) {
            return end.meaning
        }
        let message = message.lowercased()
        return violations.first { message.contains($0.words) }.map { .violation($0.kind) }
    }

    /// The first match counts.
    private static let openings: [(words: String, meaning: SessionFailure.Meaning)] = [
        ("Could not resolve host", .noAddress(isProxy: false)), ("Couldn't resolve host", .noAddress(isProxy: false)),
        ("Could not resolve proxy", .noAddress(isProxy: true)), ("Couldn't resolve proxy", .noAddress(isProxy: true)),
        ("Resolving timed out", .timedOut), ("Connection timed out after", .timedOut),
        ("SSL connection timeout", .timedOut), ("Timeout was reached", .timedOut),
        ("Failed to connect to", .refused), ("Could not connect to server", .refused),
        ("Couldn't connect to server", .refused), ("Connection timeout after", .refused),
        ("Unsupported proxy", .unusableProxy),
        ("CONNECT tunnel failed", .proxy), ("Received HTTP code", .proxy), ("Proxy CONNECT", .proxy),
        ("proxy handshake error", .proxy), ("Can't complete SOCKS", .proxy), ("SOCKS", .proxy),
        ("connection to proxy closed", .proxy),
        ("Empty reply from server", .closed), ("Server returned nothing", .closed), ("Connection died", .closed),
        ("Recv failure", .closed), ("Failure when receiving data", .closed), ("OpenSSL SSL_read", .closed),
        // The whole message where a server ends the connection of HTTP/2 by GOAWAY.
        ("Error in the HTTP2 framing layer", .closed),
        ("Send failure", .broken), ("Failed sending data", .broken), ("OpenSSL SSL_write", .broken),
        ("SSL_write()", .broken),
        ("transfer closed with", .truncated), ("end of response with", .truncated),
        ("Transferred a partial file", .truncated),
        ("SSL", .tls(.handshake)), ("TLS", .tls(.handshake)), ("OpenSSL", .tls(.handshake)),
        ("error:", .tls(.handshake)), ("gnutls", .tls(.handshake)), ("GnuTLS", .tls(.handshake)),
        ("server certificate", .tls(.untrusted)), ("Problem with the SSL CA cert", .tls(.badConfiguration)),
        ("error setting certificate", .tls(.badConfiguration)),
        ("Too large response headers", .headTooLarge),
        ("Unrecognized content encoding type", .unknownCoding),
        ("Failed writing received data", .bytesBehindCoding),
        ("Failed reading the chunked-encoded stream", .bytesBehindCoding),
    ]

    /// Ends of a stream that break no rule (RFC 9113 §7).
    private static let streamEnds: [(words: String, meaning: SessionFailure.Meaning)] = [
        ("before end of the underlying stream", .truncated), ("ENHANCE_YOUR_CALM", .tooManyRequests),
        ("CANCEL", .broken), ("INTERNAL_ERROR", .broken), ("CONNECT_ERROR", .broken),
        ("INADEQUATE_SECURITY", .broken), ("SETTINGS_TIMEOUT", .broken),
    ]

    /// What libcurl says when the server wants no more of the request (RFC 9113 §8.1). For other ends it has other words.
    static let earlyEnd = "Stream error in the HTTP/2 framing layer"

    /// Parts of libcurl's messages about responses that are not HTTP. The first match counts.
    private static let violations: [(words: String, kind: ProtocolViolation.Kind)] = [
        ("chunk", .framing), ("content-length", .framing), ("http/2", .frames), ("http2", .frames),
        ("encoding", .contentCoding), ("header", .head), ("weird", .head), ("unsupported http", .head),
        ("unsupported response code", .head), ("http/0.9", .head), ("status line", .head),
    ]

    /// FoundationNetworking refuses some legal heads, too, and libcurl then only says this.
    static func advice(_ message: String) -> String? {
        guard message.hasPrefix("Failed writing header") else { return nil }
        return "URLSession on Linux reports this for some legal heads, too, and CurlTransport takes those"
    }

    /// The messages of libcurl and OpenSSL.
    private static func tlsReason(_ message: String) -> TLSFailure.Reason {
        let words = message.lowercased()
        return reasons.first { words.contains($0.words) }?.reason ?? .handshake
    }

    private static let reasons: [(words: String, reason: TLSFailure.Reason)] = [
        // About the client's certificate, in an alert from the server (RFC 8446 §6.2).
        ("certificate required", .clientCertificate), ("alert bad certificate", .clientCertificate),
        ("alert unknown ca", .clientCertificate), ("alert certificate", .clientCertificate),
        ("alert unsupported certificate", .clientCertificate), ("alert access denied", .clientCertificate),
        // A host name may follow these.
        ("subject name", .wrongHost), ("common name", .wrongHost),
        ("certificate has expired", .expired), ("not yet valid", .notYetValid), ("certificate revoked", .revoked),
        ("ca cert", .badConfiguration), ("error setting certificate", .badConfiguration),
        ("certificate problem", .untrusted), ("verification failed", .untrusted), ("peer certificate", .untrusted),
    ]
}

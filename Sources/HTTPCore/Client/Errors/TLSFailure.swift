/// A failed TLS handshake: the certificate is not accepted, or there is no common version or cipher.
public struct TLSFailure: Error, Sendable, Hashable {
    /// Why the handshake failed.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable, CaseIterable {
        /// No trusted authority signed the certificate: it is self-signed, or its issuer is unknown.
        case untrusted
        /// The certificate, or one in its chain, has expired.
        case expired
        /// The certificate, or one in its chain, is not valid yet. The clock of this machine may be wrong.
        case notYetValid
        /// The certificate was revoked by its issuer.
        case revoked
        /// The certificate is for other names.
        case wrongHost
        /// The certificate's public key matches no pin.
        case wrongPin
        /// The server requires a client certificate, or refused the one it got.
        case clientCertificate
        /// The client's own certificate, key or authorities cannot be used.
        case badConfiguration
        /// There is no common version or cipher, or the handshake was interrupted.
        case handshake
    }

    /// Why it failed.
    public let reason: Reason
    /// Whether the handshake with a TLS proxy failed, not that with the server.
    public let isProxy: Bool
    /// What is wrong with the configuration and what to do, as a phrase; nil if no more is known than the reason.
    public let detail: String?
    /// The record of the call, secrets masked.
    public internal(set) var record: CallRecord

    /// A failed handshake, with the server or with a TLS proxy. `detail` says what to correct.
    public init(_ reason: Reason, isProxy: Bool = false, detail: String? = nil, record: CallRecord) {
        self.reason = reason
        self.isProxy = isProxy
        self.detail = detail
        self.record = record
    }
}

extension TLSFailure: CallFailure, DescribedPayload {
    var error: HTTPError { .tls(self) }
    var shortReason: String { "TLS failed" }

    var sentence: String {
        let host = isProxy ? record.firstPeer : record.authority
        let what =
            switch reason {
            case .untrusted:
                "no trusted authority vouches for the certificate of \(host): if it comes from your own, "
                    + (detail ?? "add that one to TLSConfiguration.authorities")
            case .expired: "the certificate of \(host) has expired: its owner must renew it"
            case .notYetValid: "the certificate of \(host) is not valid yet: check the clock of this machine"
            case .revoked: "the certificate of \(host) was revoked: its owner must replace it"
            case .wrongHost:
                "the certificate of \(host) is for other names: check the host \(isProxy ? "of the proxy" : "in the URL")"
            case .wrongPin:
                "the key of \(host) matches no pin: someone may be intercepting it; after a planned change of"
                    + " keys, update TLSConfiguration.pins"
            case .clientCertificate:
                "\(host) wants a client certificate that it accepts: "
                    + (detail ?? "give one as TLSConfiguration.clientCertificates")
            case .badConfiguration where detail != nil:
                "the TLS configuration for \(host) cannot be used: \(detail ?? "")"
            case .badConfiguration:
                "the TLS configuration for \(host) cannot be used: check its certificates, key and password"
            case .handshake:
                "the TLS handshake with \(host) failed: check that it speaks TLS on that port, and which versions"
            }
        return what + record.engineWords
    }
}

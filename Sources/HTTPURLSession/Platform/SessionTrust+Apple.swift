#if canImport(Security)
import Foundation
import Security

/// The TLS settings of a transport's sessions, and all uses of the Security framework.
///
/// The decisions are in `ChallengeDecision`. No call below has run on a device; `docs/apple.md` lists what is open.
struct SessionTrust: Sendable {
    static let system = SessionTrust()

    private let tls: TLSConfiguration
    /// The credentials of the client certificates, in the same order.
    private let identities: [URLCredential]
    /// The authorities of the configuration, in DER; nil for the system's.
    private let authorities: [Data]?

    private init() {
        tls = TLSConfiguration(environment: [:])
        identities = []
        authorities = nil
    }

    /// Reads all certificates at once, so that an invalid one is found before any call.
    init(_ tls: TLSConfiguration) throws(HTTPError) {
        try TLSSettingCheck.withChallenges(tls)
        self.tls = tls
        var identities: [URLCredential] = []
        for certificate in tls.clientCertificates { identities.append(try Self.credential(of: certificate)) }
        self.identities = identities
        authorities = try Self.authorities(of: tls)
    }

    /// Raises the minimum TLS version, and never lowers it.
    func apply(to configuration: URLSessionConfiguration) {
        let minimum: tls_protocol_version_t = tls.minimumVersion == .tls1_3 ? .TLSv13 : .TLSv12
        if configuration.tlsMinimumSupportedProtocolVersion.rawValue < minimum.rawValue {
            configuration.tlsMinimumSupportedProtocolVersion = minimum
        }
    }

    /// The answer to a challenge.
    enum Answer {
        case systemDefault
        case credential(URLCredential)
        case withhold
        case reject(TrustFailure)
    }

    func answer(_ challenge: URLAuthenticationChallenge) -> Answer {
        let space = challenge.protectionSpace
        let trust = space.serverTrust.map { PresentedTrust(trust: $0, authorities: authorities ?? []) }
        switch ChallengeDecision.answer(SessionChallenge(space), tls, trust) {
        case .systemDefault: return .systemDefault
        case .acceptServer:
            return trust.map { .credential(URLCredential(trust: $0.trust)) } ?? .systemDefault
        case .withhold: return .withhold
        case .present(let index): return .credential(identities[index])
        case .reject(let failure): return .reject(failure)
        }
    }
}

extension SessionChallenge {
    fileprivate init(_ space: URLProtectionSpace) {
        kind =
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust: .serverTrust
            case NSURLAuthenticationMethodClientCertificate: .clientCertificate
            default: .other
            }
        host = space.host
        isProxy = space.isProxy()
    }
}

/// The certificates of a server, evaluated with the authorities of the configuration.
private struct PresentedTrust: ServerTrust {
    let trust: SecTrust
    let authorities: [Data]

    var leafCertificate: [UInt8]? {
        let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
        return (chain?.first).map { [UInt8](SecCertificateCopyData($0) as Data) }
    }

    func evaluate() -> TrustFailure? {
        let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
        guard SecTrustSetAnchorCertificates(trust, anchors as CFArray) == errSecSuccess,
            SecTrustSetAnchorCertificatesOnly(trust, true) == errSecSuccess
        else { return TrustFailure(reason: .badConfiguration) }
        var error: CFError?
        if SecTrustEvaluateWithError(trust, &error) { return nil }
        guard let error else { return TrustFailure(reason: .untrusted) }
        let code = CFErrorGetCode(error)
        let message = CFErrorCopyDescription(error).map { $0 as String } ?? ""
        return TrustFailure(
            reason: Self.reason(OSStatus(truncatingIfNeeded: code)),
            engine: CallRecord.UnderlyingError(code: code, message: message))
    }

    private static func reason(_ status: OSStatus) -> TLSFailure.Reason {
        switch status {
        case errSecCertificateExpired: .expired
        case errSecCertificateNotValidYet: .notYetValid
        case errSecCertificateRevoked: .revoked
        case errSecHostNameMismatch: .wrongHost
        default: .untrusted
        }
    }
}

extension SessionTrust {
    /// Opens a PKCS#12 container in memory, without a keychain.
    private static func credential(of certificate: ClientCertificate) throws(HTTPError) -> URLCredential {
        let setting = "TLSConfiguration.clientCertificates: the \(certificate)"
        guard case .pkcs12(let container) = certificate.form else {
            throw TLSSettingCheck.unsupported(setting, "URLSession takes a key only from PKCS#12")
        }
        let options: [String: Any] = [
            kSecImportExportPassphrase as String: certificate.password ?? "", kSecImportToMemoryOnly as String: true,
        ]
        var items: CFArray?
        let status = SecPKCS12Import(container as CFData, options as CFDictionary, &items)
        guard status == errSecSuccess else {
            let words = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "status \(status)"
            throw TLSSettingCheck.unsupported(setting, "it cannot be opened: \(words); is the password right?")
        }
        guard let item = (items as? [[String: Any]])?.first, let identity = identity(in: item) else {
            throw TLSSettingCheck.unsupported(setting, "it holds no certificate with its key")
        }
        // The first certificate of the chain is the identity's own, which the session sends by itself.
        let chain = item[kSecImportItemCertChain as String] as? [Any] ?? []
        return URLCredential(identity: identity, certificates: Array(chain.dropFirst()), persistence: .forSession)
    }

    /// A conditional cast to a Core Foundation type would always succeed, so the type is checked first.
    private static func identity(in item: [String: Any]) -> SecIdentity? {
        guard let value = item[kSecImportItemIdentity as String].map({ $0 as AnyObject }),
            CFGetTypeID(value) == SecIdentityGetTypeID()
        else { return nil }
        return unsafeDowncast(value, to: SecIdentity.self)
    }

    private static func authorities(of tls: TLSConfiguration) throws(HTTPError) -> [Data]? {
        let setting: String
        let text: Data
        switch tls.authorities {
        case .system, .directory: return nil
        case .bytes(let pem): (setting, text) = ("TLSConfiguration.authorities", pem)
        case .file(let path):
            setting = "TLSConfiguration.authorities: the CA file \(path)"
            guard let contents = FileManager.default.contents(atPath: path) else {
                throw TLSSettingCheck.unsupported(setting, "it cannot be read")
            }
            text = contents
        }
        guard let certificates = PEMCertificates.der(in: text), !certificates.isEmpty else {
            throw TLSSettingCheck.unsupported(setting, "it contains no complete PEM certificate")
        }
        for (index, certificate) in certificates.enumerated()
        where SecCertificateCreateWithData(nil, certificate as CFData) == nil {
            throw TLSSettingCheck.unsupported(setting, "certificate \(index + 1) is not an X.509 certificate")
        }
        return certificates
    }
}
#endif

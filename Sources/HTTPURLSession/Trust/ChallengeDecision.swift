import HTTPFoundation

/// A challenge of a session, as a value.
struct SessionChallenge: Sendable, Equatable {
    enum Kind: Sendable, Equatable { case serverTrust, clientCertificate, other }

    let kind: Kind
    let host: String
    let isProxy: Bool
}

/// The certificates of a server. The engine evaluates them; tests supply their own result.
protocol ServerTrust {
    /// The server's own certificate in DER; nil if it is not available.
    var leafCertificate: [UInt8]? { get }

    /// Nil if an authority of the configuration signed the certificate, and it is valid for the host.
    func evaluate() -> TrustFailure?
}

/// Why a certificate is refused.
struct TrustFailure: Error, Sendable, Equatable {
    let reason: TLSFailure.Reason
    /// The engine's own error; nil if it gave none.
    var engine: CallRecord.UnderlyingError?
}

enum ChallengeAnswer: Equatable {
    /// The system decides, as it does without a delegate.
    case systemDefault
    case acceptServer
    /// Sends no credentials, not the system's either, such as the user's ticket or an identity of the keychain.
    case withhold
    /// Sends the client certificate at this index of `TLSConfiguration.clientCertificates`.
    case present(Int)
    case reject(TrustFailure)
}

/// Decides the answer to a challenge, without side effects: a `ServerTrust` evaluates the certificates.
enum ChallengeDecision {
    static func answer(
        _ challenge: SessionChallenge, _ tls: TLSConfiguration, _ trust: (any ServerTrust)?
    ) -> ChallengeAnswer {
        switch challenge.kind {
        case .other: challenge.isProxy ? .systemDefault : .withhold
        case .clientCertificate: clientCertificate(challenge, tls)
        case .serverTrust: server(challenge, tls, trust)
        }
    }

    /// A proxy never receives a client certificate of the configuration.
    private static func clientCertificate(_ challenge: SessionChallenge, _ tls: TLSConfiguration) -> ChallengeAnswer {
        guard !challenge.isProxy else { return .systemDefault }
        return tls.clientCertificateIndex(for: challenge.host).map { .present($0) } ?? .withhold
    }

    private static func server(
        _ challenge: SessionChallenge, _ tls: TLSConfiguration, _ trust: (any ServerTrust)?
    ) -> ChallengeAnswer {
        let (verifies, pins) = (tls.verifies(challenge.host), tls.pins(for: challenge.host))
        let asksSystem = verifies && tls.usesSystemAuthorities
        if asksSystem, pins == nil { return .systemDefault }
        guard let trust else { return .reject(TrustFailure(reason: .handshake)) }
        if verifies, !asksSystem, let failure = trust.evaluate() { return .reject(failure) }
        if let pins, !matches(trust.leafCertificate, pins) { return .reject(TrustFailure(reason: .wrongPin)) }
        // A pin does not replace an authority: the system still evaluates the certificate.
        return asksSystem ? .systemDefault : .acceptServer
    }

    private static func matches(_ certificate: [UInt8]?, _ pins: [PublicKeyPin]) -> Bool {
        guard let certificate, let key = CertificateKey.subjectPublicKeyInfo(of: certificate) else { return false }
        return pins.contains { $0.matches(key) }
    }
}

extension TLSConfiguration {
    fileprivate var usesSystemAuthorities: Bool { if case .system = authorities { true } else { false } }
}

import Foundation
import HTTPCore
import Testing

@testable import HTTPURLSession

/// The answers of a session's delegate on Apple's systems, decided without one.
@Suite struct ChallengeDecisionTests {
    /// A server's certificate, and the result of evaluating it.
    private struct Shown: ServerTrust {
        var pem = SampleCertificate.ec
        var failure: TrustFailure?
        var leafCertificate: [UInt8]? { PEMCertificates.der(in: Data(pem.utf8))?.first.map { [UInt8]($0) } }
        func evaluate() -> TrustFailure? { failure }
    }

    /// An evaluation that must not be requested.
    private struct Unasked: ServerTrust {
        var leafCertificate: [UInt8]? {
            Issue.record("the certificate was looked at")
            return nil
        }
        func evaluate() -> TrustFailure? {
            Issue.record("the configuration's authorities were asked")
            return nil
        }
    }

    private func tls(_ change: (inout TLSConfiguration) -> Void = { _ in }) -> TLSConfiguration {
        var tls = TLSConfiguration(environment: [:])
        change(&tls)
        return tls
    }

    private func answer(
        to kind: SessionChallenge.Kind = .serverTrust, host: String = "api.example.com", isProxy: Bool = false,
        _ tls: TLSConfiguration, _ trust: (any ServerTrust)? = Unasked()
    ) -> ChallengeAnswer {
        ChallengeDecision.answer(SessionChallenge(kind: kind, host: host, isProxy: isProxy), tls, trust)
    }

    private let untrusted = TrustFailure(reason: .untrusted)
    private let expired = TrustFailure(reason: .expired, engine: .init(code: -67818, message: "expired"))
    private let ownAuthority = TLSConfiguration.Authorities.bytes(Data(SampleCertificate.ec.utf8))
    private let pins: [String: [PublicKeyPin]] = ["api.example.com": [.init(stringLiteral: SampleCertificate.ecPin)]]

    // MARK: Server certificates

    @Test func `without settings the system decides, and no certificate is evaluated`() {
        #expect(answer(tls()) == .systemDefault)
    }

    @Test func `settings for one host leave the others to the system`() {
        let tls = tls {
            $0.pins = pins
            $0.unverifiedHosts = ["device.local"]
        }
        #expect(answer(host: "other.example.com", tls) == .systemDefault)
    }

    @Test func `a matching pin leaves the certificate to the system, which must still trust it`() {
        #expect(answer(tls { $0.pins = pins }, Shown()) == .systemDefault)
    }

    @Test func `a backup pin is enough`() {
        var pins = pins
        pins["api.example.com"]?.insert(.init(stringLiteral: SampleCertificate.rsaPin), at: 0)
        #expect(answer(tls { $0.pins = pins }, Shown()) == .systemDefault)
    }

    @Test func `a key that is not pinned is refused, whatever signed it`() {
        let wrong = ChallengeAnswer.reject(TrustFailure(reason: .wrongPin))
        let other = Shown(pem: SampleCertificate.rsa)
        #expect(answer(tls { $0.pins = pins }, other) == wrong)
        #expect(answer(host: "API.Example.Com", tls { $0.pins = pins }, other) == wrong)
        #expect(
            answer(
                tls {
                    $0.pins = pins
                    $0.authorities = ownAuthority
                }, other) == wrong)
        #expect(
            answer(
                tls {
                    $0.pins = pins
                    $0.unverifiedHosts = ["api.example.com"]
                }, other) == wrong)
    }

    @Test func `an unreadable certificate matches no pin`() {
        #expect(answer(tls { $0.pins = pins }, Shown(pem: "")) == .reject(TrustFailure(reason: .wrongPin)))
    }

    @Test func `an authority of the configuration replaces the system's`() {
        let tls = tls { $0.authorities = ownAuthority }
        #expect(answer(tls, Shown()) == .acceptServer)
        #expect(answer(tls, Shown(failure: untrusted)) == .reject(untrusted))
        #expect(answer(tls, Shown(failure: expired)) == .reject(expired))
    }

    @Test func `a pin does not make an untrusted certificate trusted`() {
        let tls = tls {
            $0.authorities = ownAuthority
            $0.pins = pins
        }
        #expect(answer(tls, Shown(failure: untrusted)) == .reject(untrusted))
        #expect(answer(tls, Shown()) == .acceptServer)
    }

    @Test func `a host listed as unverified is accepted, and only that one`() {
        let tls = tls {
            $0.unverifiedHosts = ["device.local"]
            $0.authorities = ownAuthority
        }
        #expect(answer(host: "device.local", tls, Shown(failure: untrusted)) == .acceptServer)
        #expect(answer(host: "api.example.com", tls, Shown(failure: untrusted)) == .reject(untrusted))
    }

    @Test func `a challenge without certificates is refused if they must be evaluated here`() {
        #expect(answer(tls { $0.pins = pins }, nil) == .reject(TrustFailure(reason: .handshake)))
        #expect(answer(tls(), nil) == .systemDefault)
    }

    @Test func `a proxy's certificate is checked for the proxy's own host`() {
        let tls = tls { $0.pins = ["gate.example.com": [.init(stringLiteral: SampleCertificate.rsaPin)]] }
        #expect(
            answer(host: "gate.example.com", isProxy: true, tls, Shown()) == .reject(TrustFailure(reason: .wrongPin)))
        #expect(answer(host: "api.example.com", tls) == .systemDefault)
    }

    // MARK: Client certificates

    private var certificates: [ClientCertificate] {
        [
            ClientCertificate(.pkcs12(Data([1]))),
            ClientCertificate(.pkcs12(Data([2])), hosts: ["api.example.com"]),
        ]
    }

    @Test func `the certificate for the host is sent, else the one for every host`() {
        let tls = tls { $0.clientCertificates = certificates }
        #expect(answer(to: .clientCertificate, tls) == .present(1))
        #expect(answer(to: .clientCertificate, host: "other.example.com", tls) == .present(0))
    }

    @Test func `a host without a matching certificate gets none, of the keychain neither`() {
        let tls = tls { $0.clientCertificates = [certificates[1]] }
        #expect(answer(to: .clientCertificate, host: "other.example.com", tls) == .withhold)
        #expect(answer(to: .clientCertificate, self.tls()) == .withhold)
    }

    @Test func `a proxy gets no client certificate`() {
        let tls = tls { $0.clientCertificates = certificates }
        #expect(answer(to: .clientCertificate, isProxy: true, tls) == .systemDefault)
    }

    @Test func `a proxy's challenge for a password is left to the system, and a server gets none`() {
        let tls = tls {
            $0.clientCertificates = certificates
            $0.pins = pins
        }
        #expect(answer(to: .other, isProxy: true, tls) == .systemDefault)
        #expect(answer(to: .other, tls) == .withhold)
    }
}

import HTTPEngine
import Foundation
import HTTPCore
import Testing

@testable import HTTPURLSession

/// The settings of a `TLSConfiguration` that a URLSession cannot apply, and the errors.
@Suite struct TLSSettingTests {
    typealias Setting = (String, @Sendable (inout TLSConfiguration) -> Void)

    private static func changed(_ change: (inout TLSConfiguration) -> Void) -> TLSConfiguration {
        var tls = TLSConfiguration(environment: ["SSL_CERT_FILE": "/nowhere"])
        change(&tls)
        return tls
    }

    private func refusal(_ body: () throws(HTTPError) -> Void) -> String? {
        do throws(HTTPError) {
            try body()
            return nil
        } catch {
            guard case .unsupported = error else { return "another error: \(error)" }
            return "\(error)"
        }
    }

    static let all: [Setting] = [
        ("TLSConfiguration.clientCertificates", { $0.clientCertificates = [ClientCertificate(.pkcs12(Data([1])))] }),
        ("TLSConfiguration.pins", { $0.pins = ["a.example": [.init(stringLiteral: SampleCertificate.ecPin)]] }),
        ("TLSConfiguration.unverifiedHosts", { $0.unverifiedHosts = ["a.example"] }),
        ("TLSConfiguration.minimumVersion", { $0.minimumVersion = .tls1_3 }),
        ("TLSConfiguration.authorities", { $0.authorities = .file("/ca.pem") }),
    ]

    #if canImport(FoundationNetworking)
    @Test func `URLSession on Linux refuses each setting by name and says what supports it`() {
        for (name, change) in Self.all {
            let text = refusal { () throws(HTTPError) in _ = try URLSessionTransport(tls: Self.changed(change)) }
            #expect(text?.contains(name) == true, "\(text ?? "accepted")")
            #expect(text?.contains("use CurlTransport") == true)
        }
    }

    @Test func `URLSession on Linux accepts the defaults`() {
        #expect(refusal { () throws(HTTPError) in _ = try URLSessionTransport(tls: Self.changed { _ in }) } == nil)
    }
    #endif

    @Test func `a delegate that is asked supports all that it can decide`() {
        for (_, change) in Self.all {
            #expect(refusal { () throws(HTTPError) in try TLSSettingCheck.withChallenges(Self.changed(change)) } == nil)
        }
    }

    static let impossible: [(says: [String], change: @Sendable (inout TLSConfiguration) -> Void)] = [
        (
            ["clientCertificates", "PEM certificate for a.example", "openssl pkcs12 -export", ".pkcs12"],
            {
                $0.clientCertificates = [
                    ClientCertificate(.pem(certificate: Data(), key: Data()), hosts: ["a.example"])
                ]
            }
        ),
        (["authorities", "/etc/ssl/certs", ".file or .bytes"], { $0.authorities = .directory("/etc/ssl/certs") }),
        (["empty list of pins for a.example"], { $0.pins = ["a.example": []] }),
        (["the pin \"x\"", "not the base64 of 32 bytes"], { $0.pins = ["a.example": ["x"]] }),
        (
            ["A==\"", "not the base64 of 32 bytes"],
            { $0.pins = ["a.example": [PublicKeyPin(stringLiteral: String(repeating: "A", count: 43) + "==")]] }
        ),
    ]

    @Test func `an unsupported setting is named with the alternative`() {
        for (parts, change) in Self.impossible {
            let text = refusal { () throws(HTTPError) in try TLSSettingCheck.withChallenges(Self.changed(change)) }
            for part in parts { #expect(text?.contains(part) == true, "\(part): \(text ?? "accepted")") }
        }
    }

    @Test func `a refused certificate ends the exchange with its reason`() throws {
        let request = try Request(.get("https://a.example/"))
        for isProxy in [false, true] {
            var answer = SessionAnswer(CallPlan(request))
            let ending = answer.take(.rejected(TrustFailure(reason: .wrongPin), isProxy: isProxy))
            guard case .failed(.untrusted(let failure, isProxy))? = ending else {
                Issue.record("\(ending as Any)")
                continue
            }
            #expect(failure.reason == .wrongPin)
        }
    }
}

import Foundation
import HTTPCore
import Testing

@testable import HTTPURLSession

@Suite struct CertificateKeyTests {
    private func der(_ pem: String) throws -> [UInt8] {
        try [UInt8](#require(PEMCertificates.der(in: Data(pem.utf8))?.first))
    }

    @Test(arguments: [
        (SampleCertificate.ec, SampleCertificate.ecPin), (SampleCertificate.rsa, SampleCertificate.rsaPin),
        (SampleCertificate.rsaVersion1, SampleCertificate.rsaPin),
    ])
    func `the hash of a certificate's key is that of OpenSSL`(pem: String, pin: String) throws {
        let key = try #require(CertificateKey.subjectPublicKeyInfo(of: try der(pem)))
        #expect(try PublicKeyPin(sha256: pin).matches(key))
        #expect(!PublicKeyPin(stringLiteral: String(pin.reversed())).matches(key))
    }

    @Test func `a certificate truncated anywhere has no key`() throws {
        let whole = try der(SampleCertificate.ec)
        for count in 0..<whole.count {
            #expect(CertificateKey.subjectPublicKeyInfo(of: Array(whole[..<count])) == nil, "\(count)")
        }
        #expect(CertificateKey.subjectPublicKeyInfo(of: whole + [0]) == nil)
    }

    @Test func `a changed byte neither traps nor reads out of bounds`() throws {
        let whole = try der(SampleCertificate.ec)
        for index in whole.indices {
            for value in [0x00, 0x1F, 0x30, 0x7F, 0x80, 0x84, 0xFF] as [UInt8] {
                var changed = whole
                changed[index] = value
                guard let key = CertificateKey.subjectPublicKeyInfo(of: changed) else { continue }
                #expect(key.endIndex <= changed.endIndex && key.count >= 2)
            }
        }
    }

    @Test func `a PEM bundle gives its certificates in order and skips the text between them`() throws {
        let bundle = "# one\r\n\(SampleCertificate.ec)\r\n# two\r\n\(SampleCertificate.rsa)\n"
        let certificates = try #require(PEMCertificates.der(in: Data(bundle.utf8)))
        #expect(try certificates.map { [UInt8]($0) } == [der(SampleCertificate.ec), der(SampleCertificate.rsa)])
        #expect(PEMCertificates.der(in: Data("nothing".utf8)) == [])
    }

    @Test(arguments: [
        "-----BEGIN CERTIFICATE-----\nMIIB", "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
    ])
    func `a PEM block that is open, empty or not base64 is refused`(text: String) {
        #expect(PEMCertificates.der(in: Data(text.utf8)) == nil)
    }
}

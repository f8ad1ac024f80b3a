import Foundation
import HTTPCore
import HTTPCurl
import Testing

@Suite struct SecretPrintingTests {
    @Test func `a client certificate prints neither key nor password, not even by reflection`() {
        let certificate = ClientCertificate(
            .pem(certificate: Data("chain".utf8), key: Data("key".utf8)), password: "opensesame", hosts: ["a.example"])
        var configuration = CurlConfiguration()
        configuration.tls.clientCertificate = certificate
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(certificate)", String(reflecting: certificate), "\(configuration)", dumped] {
            #expect(!text.contains("opensesame"))
            #expect(text.contains("PEM certificate for a.example"))
        }
    }
}

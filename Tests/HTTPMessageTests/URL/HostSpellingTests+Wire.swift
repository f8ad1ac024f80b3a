import Foundation
import HTTPMockServer
import Testing

import HTTPCore
import HTTPCurl

extension HostKeyTests {
    @Test func `a setting for a name that no URL can have is refused before the first call`() throws {
        let pin = try PublicKeyPin(sha256: String(repeating: "A", count: 43) + "=")
        let changes: [(inout CurlConfiguration) -> Void] = [
            { $0.tls.pins = ["b\u{202E}d.example": [pin]] },
            { $0.tls.unverifiedHosts = ["b\u{202E}d.example"] },
            { $0.tls.clientCertificates = [ClientCertificate(.pkcs12(.init()), hosts: ["b\u{202E}d.example"])] },
            { $0.addressOverrides = ["b\u{202E}d.example": ["127.0.0.1"]] },
        ]
        for change in changes {
            var configuration = CurlConfiguration()
            change(&configuration)
            let error = try #require(throws: HTTPError.self) { _ = try CurlTransport(configuration) }
            #expect("\(error)".contains("\"b\\u{202E}d.example\" among the"), "\(error)")
        }
    }
}

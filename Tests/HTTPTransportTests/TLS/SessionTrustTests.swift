import Foundation
import HTTPCore
import HTTPMockServer
import HTTPSupport
import HTTPURLSession
import Testing

/// URLSession trusts only the system's authorities.
@Suite(.enabled(if: Needs.nginx, "\(Needs.nginxAdvice)"), .timeLimit(.minutes(5))) struct SessionTrustTests {
    @Test(arguments: ["self-signed", "by an unknown authority", "by the tests' authority, and for another host"])
    func `a certificate that the system does not trust is refused and nothing is sent`(kind: String) throws {
        let identities = ["self-signed": Identity.selfSigned, "by an unknown authority": .unknown]
        let server = try NginxServer(identities[kind] ?? .other)
        let result = URLSessionTransport().executeRequest(.get(server.url("/secret")) |> .bearer("t0p"))
        let failure = expectTLSFailure(result, .untrusted, saying: "GET https://localhost:\(server.port)/secret")
        #expect(failure?.record.phase == .securing)
        #expect(server.origin.requestCount == 0)
    }

    @Test(
        .enabled(
            if: SystemLibrary.libcurlVersion ?? 0 < 0x080900, "a POST over TLS is refused, since it may end the process"
        ))
    func `a body is not sent to a server that is not trusted`() throws {
        let server = try NginxServer(.selfSigned)
        for step in [RequestStep.text("secret"), .stream { .data(.init("secret".utf8)) }] {
            expectTLSFailure(URLSessionTransport().executeRequest(.post(server.url()) |> step), .untrusted)
        }
        #expect(server.origin.requestCount == 0)
    }
}

import HTTPEngine
import HTTPCore
import HTTPCurl
import HTTPMockServer
import Testing

extension CurlTransport {
    /// A transport that ignores the environment of the tests and trusts their authority.
    static func forTests(_ change: (inout CurlConfiguration) throws -> Void = { _ in }) throws -> CurlTransport {
        var configuration = CurlConfiguration()
        configuration.proxy = .none
        configuration.tls.authorities = .file(CertificateAuthority.trusted.file)
        try change(&configuration)
        return try CurlTransport(configuration)
    }

    /// The same without TLS, for tests that need no certificates.
    static func plain(_ change: (inout CurlConfiguration) throws -> Void = { _ in }) throws -> CurlTransport {
        var configuration = CurlConfiguration()
        configuration.proxy = .none
        configuration.tls = TLSConfiguration(environment: [:])
        try change(&configuration)
        return try CurlTransport(configuration)
    }

    /// One without other settings that trusts the authority of `server`.
    static func trusting(
        _ server: MockServer, _ change: (inout CurlConfiguration) throws -> Void = { _ in }
    ) throws -> CurlTransport {
        let authority = try #require(server.certificateAuthority)
        return try .plain {
            $0.tls.authorities = authority.trust
            try change(&$0)
        }
    }
}

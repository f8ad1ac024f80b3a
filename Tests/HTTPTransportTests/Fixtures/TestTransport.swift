import HTTPEngine
import HTTPCore
import HTTPCurl

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
}

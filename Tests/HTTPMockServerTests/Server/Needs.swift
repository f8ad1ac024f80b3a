import HTTPEngine
import Foundation
import HTTPCore
import HTTPCurl
import HTTPMockServer

/// Requirements of some tests that a machine may lack, each with how to install it.
enum Needs {
    /// Whether a server with TLS can be started, which needs OpenSSL.
    static let tls = (try? MockServer(security: .tls())) != nil
    static let tlsAdvice = "needs OpenSSL: apt-get install libssl3"
    static let http2 = tls && (try? MockServer(versions: [.http2])) != nil
    static let http2Advice = "needs OpenSSL and nghttp2: apt-get install libssl3 libnghttp2-14"
    static let processFiles = FileManager.default.fileExists(atPath: "/proc/self/fd")
    static let processFilesAdvice = "needs a system with /proc"

    static func program(_ name: String) -> String? {
        ["/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/bin"].map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}

extension CurlTransport {
    /// A client that ignores the environment and trusts the authority of `server`.
    static func trusting(
        _ server: MockServer, _ change: (inout CurlConfiguration) throws -> Void = { _ in }
    ) throws -> CurlTransport {
        var configuration = CurlConfiguration()
        configuration.proxy = .none
        configuration.tls = TLSConfiguration(environment: [:])
        if let authority = server.certificateAuthority { configuration.tls.authorities = authority.trust }
        try change(&configuration)
        return try CurlTransport(configuration)
    }
}

/// The reason of a TLS failure; nil for any other outcome.
func tlsReason(_ result: Result<Response, HTTPError>) -> TLSFailure.Reason? {
    if case .failure(.tls(let failure)) = result { failure.reason } else { nil }
}

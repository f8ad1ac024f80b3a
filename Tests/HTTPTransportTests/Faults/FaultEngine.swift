import HTTPCore
import HTTPCurl
import HTTPMockServer
import HTTPURLSession

/// An engine, with the protocol to the server.
enum FaultEngine: String, Sendable, CaseIterable {
    case http1 = "curl, HTTP/1.1"
    case http1TLS = "curl, HTTP/1.1 over TLS"
    case http2TLS = "curl, HTTP/2 over TLS"
    case urlSession = "URLSession, HTTP/1.1"

    var isTLS: Bool { self == .http1TLS || self == .http2TLS }
    var isHTTP2: Bool { self == .http2TLS }
    var scheme: String { isTLS ? "https" : "http" }

    static let withHTTP1: [FaultEngine] = [.http1, .http1TLS, .urlSession]
    static let withTLS: [FaultEngine] = [.http1TLS, .http2TLS]

    static let tellsNoConnection =
        "URLSession does not tell when a connection stands: connect and idle timeout count together"

    /// A new client, which has no connection yet.
    func makeClient() throws -> any HTTPClient {
        guard self != .urlSession else { return URLSessionTransport() }
        return try CurlTransport.plain { configuration in
            if isTLS { configuration.tls.authorities = FaultServer.authority.trust }
        }
    }
}

extension [FaultEngine: String] {
    /// Excludes the engine with HTTP/2, which lacks the feature.
    static func http1Only(_ what: String) -> [FaultEngine: String] {
        skipping([.http2TLS], because: "HTTP/2 has no \(what)")
    }

    static let http2Only =
        skipping([.http1, .http1TLS], because: "HTTP/1.1 has no frames")
        .merging([.urlSession: "URLSession speaks HTTP/1.1 in the clear"]) { $1 }

    static let tlsOnly =
        skipping([.http1], because: "there is no TLS")
        .merging([.urlSession: "on Linux URLSession trusts the system's authorities alone, not the tests'"]) { $1 }

    static func skipping(_ engines: [FaultEngine], because reason: String) -> [FaultEngine: String] {
        Dictionary(uniqueKeysWithValues: engines.map { ($0, reason) })
    }
}

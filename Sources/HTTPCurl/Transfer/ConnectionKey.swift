/// The properties that requests must share to use the same connection.
struct ConnectionKey: Sendable, Hashable {
    let origin: Origin
    let version: VersionPolicy

    /// Whether a connection may carry several requests at once: over TLS, if ALPN can negotiate HTTP/2, what it
    /// negotiated can be seen, and what one step reads can be bounded.
    var mayMultiplex: Bool {
        version == .automatic && origin.scheme == .https && CurlLibrary.shared.hasHTTP2
            && OpenSSLConnection.shared != nil && OpenSSLReads.shared != nil
    }

    /// Whether its connections carry one request at a time while others to the origin may carry several. libcurl would share
    /// all of them.
    var staysApart: Bool { !mayMultiplex && ConnectionKey(origin: origin, version: .automatic).mayMultiplex }

    /// Whether it is the key of `request`. Making another key to compare takes several times as long.
    func fits(_ request: Request, defaultVersion: VersionPolicy) -> Bool {
        version == Self.version(of: request, defaultVersion) && origin == request.origin
    }

    private static func version(of request: Request, _ defaultVersion: VersionPolicy) -> VersionPolicy {
        if request.origin.scheme == .https, CurlLibrary.shared.avoidsHTTP2(for: request) { return .http1 }
        return request.version == .automatic ? defaultVersion : request.version
    }
}

extension ConnectionKey {
    init(_ request: Request, defaultVersion: VersionPolicy) {
        self.init(origin: request.origin, version: Self.version(of: request, defaultVersion))
    }
}

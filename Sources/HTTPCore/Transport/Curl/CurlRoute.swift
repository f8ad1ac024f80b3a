#if canImport(CLibcurl)
import CLibcurl

/// The two ends of a connection.
struct CurlRoute {
    let remoteAddress: String?
    let remotePort: Int?
    let localAddress: String?
    let localPort: Int?
    /// Whether the connection carried a request before.
    let isReused: Bool
    /// Whether the connection ends on this machine, be it at a proxy or a tunnel, as far as the addresses tell.
    let isLocal: Bool

    /// As libcurl tells it of the last transfer. A unix-domain socket has neither address nor port; libcurl gives its
    /// path, and the port of the URL.
    init(_ handle: CurlHandle, isReused: Bool, isUnixSocket: Bool) {
        remoteAddress = isUnixSocket ? nil : handle.string(CURLINFO_PRIMARY_IP)
        localAddress = handle.string(CURLINFO_LOCAL_IP)
        remotePort = remoteAddress == nil ? nil : handle.long(CURLINFO_PRIMARY_PORT)
        localPort = remoteAddress == nil ? nil : handle.long(CURLINFO_LOCAL_PORT)
        self.isReused = isReused
        isLocal = isUnixSocket || Self.isLocal(remoteAddress, from: localAddress)
    }

    private init() {
        remoteAddress = nil
        remotePort = nil
        localAddress = nil
        localPort = nil
        isReused = false
        isLocal = false
    }

    /// Before the first transfer.
    static let none = CurlRoute()

    var isKnown: Bool { remoteAddress != nil }

    private init(reused route: CurlRoute) {
        remoteAddress = route.remoteAddress
        remotePort = route.remotePort
        localAddress = route.localAddress
        localPort = route.localPort
        isReused = true
        isLocal = route.isLocal
    }

    /// A machine reaches each of its own addresses from that address, but for those of 127.0.0.0/8.
    static func isLocal(_ remote: String?, from local: String?) -> Bool {
        guard let remote else { return false }
        return remote == local || remote.hasPrefix("127.")
    }

    var reused: CurlRoute { CurlRoute(reused: self) }
}
#endif

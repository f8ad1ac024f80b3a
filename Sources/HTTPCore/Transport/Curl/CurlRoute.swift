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

    /// As libcurl tells it of the last transfer. A unix-domain socket has neither address nor port; libcurl gives its
    /// path, and the port of the URL.
    init(_ handle: CurlHandle, isReused: Bool, isUnixSocket: Bool) {
        remoteAddress = isUnixSocket ? nil : handle.string(CURLINFO_PRIMARY_IP)
        localAddress = handle.string(CURLINFO_LOCAL_IP)
        remotePort = remoteAddress == nil ? nil : handle.long(CURLINFO_PRIMARY_PORT)
        localPort = remoteAddress == nil ? nil : handle.long(CURLINFO_LOCAL_PORT)
        self.isReused = isReused
    }

    private init() {
        remoteAddress = nil
        remotePort = nil
        localAddress = nil
        localPort = nil
        isReused = false
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
    }

    var reused: CurlRoute { CurlRoute(reused: self) }
}
#endif

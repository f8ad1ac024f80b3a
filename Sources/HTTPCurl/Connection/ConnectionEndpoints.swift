import CLibcurl
import HTTPSupport

/// The local and remote endpoint of a connection. All connections to a unix-domain socket have the same.
struct ConnectionEndpoints: Hashable {
    private(set) var remoteAddress: String?
    private(set) var remotePort: Int?
    private(set) var localAddress: String?
    private(set) var localPort: Int?
    private let isUnixSocket: Bool

    /// Before the first connection. A unix-domain socket has neither address nor port.
    init(isUnixSocket: Bool) { self.isUnixSocket = isUnixSocket }

    /// Reads the endpoints of the current connection. An unchanged address is not read again.
    mutating func note(_ ends: CurlEndpoints) {
        // For a unix-domain socket libcurl gives its path, and the port of the URL.
        guard !isUnixSocket else { return }
        if !Self.isSame(remoteAddress, ends.remoteAddress) || !Self.isSame(localAddress, ends.localAddress) {
            remoteAddress = Self.text(ends.remoteAddress)
            localAddress = Self.text(ends.localAddress)
        }
        remotePort = remoteAddress == nil ? nil : ends.remotePort
        localPort = remoteAddress == nil ? nil : ends.localPort
    }

    /// Leaves out the addresses: the ports differ for nearly all connections, and the texts are slow to hash.
    func hash(into hasher: inout Hasher) {
        hasher.combine(localPort)
        hasher.combine(remotePort)
    }

    private static func isSame(_ address: String?, _ text: UnsafePointer<CChar>?) -> Bool {
        guard let address, let text else { return false }
        return address.withCString { strcmp($0, text) == 0 }
    }

    /// Nil for an empty string, which is what libcurl gives for an unknown value.
    private static func text(_ text: UnsafePointer<CChar>?) -> String? {
        guard let text, text.pointee != 0 else { return nil }
        return String(cString: text)
    }
}

/// The endpoints of a connection as libcurl's strings, valid until libcurl runs again.
struct CurlEndpoints {
    let remoteAddress: UnsafePointer<CChar>?
    let remotePort: Int
    let localAddress: UnsafePointer<CChar>?
    let localPort: Int
}

extension CurlEndpoints {
    /// The endpoints of the last connection of `handle`, even if it was not established.
    init(_ handle: CurlHandle) {
        remoteAddress = handle.text(CURLINFO_PRIMARY_IP)
        remotePort = handle.long(CURLINFO_PRIMARY_PORT)
        localAddress = handle.text(CURLINFO_LOCAL_IP)
        localPort = handle.long(CURLINFO_LOCAL_PORT)
    }
}

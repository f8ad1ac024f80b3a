import CLibcurl
import HTTPCore

/// The libcurl in this process: set up once, asked at run time what it can do.
struct CurlLibrary: Sendable {
    let version: String
    let number: UInt32
    let features: CInt
    let tlsBackend: String

    init(version: String, number: UInt32, features: CInt, tlsBackend: String) {
        self.version = version
        self.number = number
        self.features = features
        self.tlsBackend = tlsBackend
        mayRaiseBrokenPipe = number < 0x075700 || !Self.usesOpenSSL(tlsBackend)
    }

    /// Set up on first use. libcurl counts its global set-ups, so a program's own does no harm.
    static let shared: CurlLibrary = {
        if asked().mayUseOpenSSL { OpenSSLExitHandler.disable() }
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        return asked()
    }()

    /// As libcurl describes itself. It does so before it is set up, too, although its manual does not promise that.
    private static func asked() -> CurlLibrary {
        guard let info = shim_version_info()?.pointee else {
            return CurlLibrary(version: "unknown", number: 0, features: 0, tlsBackend: "")
        }
        return CurlLibrary(
            version: String(cString: info.version), number: info.version_num, features: info.features,
            tlsBackend: info.ssl_version.map { String(cString: $0) } ?? "")
    }

    var hasTLS: Bool { features & CURL_VERSION_SSL != 0 }
    var hasHTTP2: Bool { features & CURL_VERSION_HTTP2 != 0 }
    /// Whether names are looked up while other things go on, in a thread or otherwise.
    var resolvesAside: Bool { features & CURL_VERSION_ASYNCHDNS != 0 }
    /// A libcurl of several TLS libraries names all of them, those not in use in parentheses.
    var usesOpenSSL: Bool { Self.usesOpenSSL(tlsBackend) }

    private static func usesOpenSSL(_ backend: String) -> Bool {
        backend.split(separator: " ").contains { $0.hasPrefix("OpenSSL/") }
    }

    /// Whether OpenSSL is one of those that it can use. Before it is set up, none of several is in use.
    private var mayUseOpenSSL: Bool { tlsBackend.contains("OpenSSL/") }

    /// Whether what TLS writes to a closed peer may raise SIGPIPE. From 7.87 on OpenSSL writes through libcurl, which
    /// writes with MSG_NOSIGNAL, or to a socket with SO_NOSIGPIPE; before that it writes by itself.
    let mayRaiseBrokenPipe: Bool

    /// Whether each transfer has a receive buffer of its own while it runs. From 8.7 on one serves all of a multi handle.
    var buffersEachTransfer: Bool { number < 0x080700 }

    /// Whether it takes its time to close a connection over TLS. It does not tell of all such connections.
    var closesInGoodOrder: Bool { number >= 0x080A00 }

    /// Whether a connection of HTTP/2 by prior knowledge can carry a second request. 7.88 takes it for one that has yet to
    /// change to HTTP/2, and fails.
    var reusesPriorKnowledge: Bool { !(0x075800..<0x080000).contains(number) }

    /// What every transport needs: `CURLOPT_PREREQFUNCTION`, 7.80, and all before it.
    static let floor: UInt32 = 0x075100

    func requireFloor() throws(Unsupported) {
        guard number >= Self.floor else {
            throw Unsupported("libcurl \(version)", "7.81 is the oldest version this transport works with")
        }
    }
}

import CLibcurl
import HTTPSupport

/// The libcurl of this process: initialized once, its features detected at run time.
struct CurlLibrary: Sendable {
    let version: String
    let number: UInt32
    let features: CInt
    let tlsBackend: String
    /// The system that it was built for.
    let host: String

    init(version: String, number: UInt32, features: CInt, tlsBackend: String, host: String = "") {
        self.version = version
        self.number = number
        self.features = features
        self.tlsBackend = tlsBackend
        self.host = host
        mayRaiseBrokenPipe = number < 0x075700 || !Self.usesOpenSSL(tlsBackend)
    }

    /// Initialized on first use. libcurl counts initializations, so a program's own is harmless.
    static let shared: CurlLibrary = {
        if asked().mayUseOpenSSL { _ = SystemLibrary.openSSL }
        curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        return asked()
    }()

    /// libcurl's own description. It is available before initialization, although its manual does not promise that.
    private static func asked() -> CurlLibrary {
        guard let info = shim_version_info()?.pointee else {
            return CurlLibrary(version: "unknown", number: 0, features: 0, tlsBackend: "")
        }
        return CurlLibrary(
            version: String(cString: info.version), number: info.version_num, features: info.features,
            tlsBackend: info.ssl_version.map { String(cString: $0) } ?? "",
            host: info.host.map { String(cString: $0) } ?? "")
    }

    var hasTLS: Bool { features & CURL_VERSION_SSL != 0 }
    /// Whether HTTP/2 can be used. Over 8.13 a stream that was paused may stand still: the server is not told to go on.
    var hasHTTP2: Bool { features & CURL_VERSION_HTTP2 != 0 && !(0x080d00..<0x080e00).contains(number) }
    /// Whether name resolution does not block, by a thread or otherwise.
    var resolvesAside: Bool { features & CURL_VERSION_ASYNCHDNS != 0 }
    /// A libcurl with several TLS libraries lists all of them, unused ones in parentheses.
    var usesOpenSSL: Bool { Self.usesOpenSSL(tlsBackend) }
    /// OpenSSL if it uses that.
    var openSSL: SystemLibrary { usesOpenSSL ? .openSSL : .missing }

    private static func usesOpenSSL(_ backend: String) -> Bool { uses("OpenSSL/", backend) }

    private static func uses(_ library: String, _ backend: String) -> Bool {
        backend.split(separator: " ").contains { $0.hasPrefix(library) }
    }

    /// Whether OpenSSL is one of its TLS libraries. Before initialization none of several is selected.
    private var mayUseOpenSSL: Bool { tlsBackend.contains("OpenSSL/") }

    /// Whether TLS writes to a closed peer may raise SIGPIPE. From 7.87 on OpenSSL writes through libcurl, which uses
    /// MSG_NOSIGNAL or a socket with SO_NOSIGPIPE. Before that OpenSSL writes directly.
    let mayRaiseBrokenPipe: Bool

    /// Runs `body`, in which libcurl may write to a connection that its server has closed. The signal is the program's own
    /// where libcurl raises none, also in the closures that `body` calls.
    func guardingBrokenPipe<Value>(_ body: () -> Value) -> Value {
        mayRaiseBrokenPipe ? SignalGuard.brokenPipe(body) : body()
    }

    /// Whether each running transfer has its own receive buffer. From 8.7 on one buffer serves a multi handle.
    var buffersEachTransfer: Bool { number < 0x080700 }

    /// Whether it does not look again, until the socket has more, at what it holds of HTTP/2: the rest of a frame, frames
    /// behind the end of another response, or a stream that is over with the last byte it sends.
    var missesBytes: Bool { (0x075800..<0x080100).contains(number) }

    /// Whether it may not notice, while it sends over HTTP/2, that the stream was reset behind a response without a length.
    var isDeafWhileSending: Bool { number < 0x075800 }

    /// Whether it may read nothing over HTTP/2 while the request body is paused.
    var isDeafWhilePaused: Bool { (0x080400..<0x080600).contains(number) }

    /// Whether it ends the stream of an upload over HTTP/2 when an answer comes that is no success, unless it is told at the
    /// end of the head to keep sending. From 8.7 to 8.9 it would be too late then, or take an early end for a failure.
    var endsRefusedUploads: Bool { number < 0x080700 }

    /// Whether it counts bytes of a request body as sent that it only holds.
    var holdsUploads: Bool { number >= 0x080700 }

    /// Whether it resets the stream of such an upload itself, and may take that for an error.
    var resetsRefusedUploads: Bool { number >= 0x080b00 }

    /// Whether it takes all closed streams of HTTP/2 for whole when it reads the end of their connection.
    var missesResets: Bool { number < 0x080100 }

    /// Whether it takes its built-in file or directory of authorities in place of a nil that was set.
    var fillsInAuthorities: Bool { number >= 0x081500 }

    /// Whether `CURLINFO_REQUEST_SIZE` counts the body, too.
    var countsBodyInRequest: Bool { number >= 0x080800 }

    /// Whether it drops what it has of an answer over HTTP/2 when it reads the reset of the stream with it. Servers send that
    /// when they answer before they have read the request (RFC 9113 §8.1).
    var dropsAnswers: Bool { missesBytes }

    /// Whether it has the server go on while a stream of HTTP/2 is paused. It keeps what comes, when it reads for another
    /// stream, and the transfer fails at 64 MiB; with 8.7 the connection does.
    var overfillsPausedStreams: Bool { (0x080700..<0x080d00).contains(number) }

    /// Whether `request` must not go over HTTP/2: its refusal would be lost, or its body would fail if what takes that is slow.
    func avoidsHTTP2(for request: Request) -> Bool {
        (dropsAnswers && request.continueWait != nil) || (overfillsPausedStreams && !request.destination.isMemory)
    }

    /// Why it cannot send `request`; nil if it can. Before 8.7 the state of trailers stays with the easy handle, and the
    /// chunks of its next body begin in front of their buffer.
    func refusal(of request: Request) -> Unsupported? {
        guard request.trailers != nil, number < 0x080700 else { return nil }
        return Unsupported(
            "trailer fields after a body", "libcurl \(version) may damage the next body after them: use 8.7 or later")
    }

    /// Whether it trusts what macOS trusts, whatever authorities it is given: the LibreSSL that comes with macOS asks the
    /// system (curl issue 12604), and another one there has the same name.
    private var trustsTheSystem: Bool { host.lowercased().contains("darwin") && Self.uses("LibreSSL/", tlsBackend) }

    /// Why it cannot trust given authorities alone; nil if it can.
    var refusalOfAuthorities: Unsupported? {
        guard trustsTheSystem else { return nil }
        return Unsupported(
            "TLSConfiguration.authorities",
            "libcurl \(version) with the LibreSSL of macOS trusts the authorities of the system as well:"
                + " use URLSessionTransport(tls: …), pins, or a libcurl over OpenSSL")
    }

    /// The minimum version: `CURLOPT_PREREQFUNCTION` needs 7.80, everything else less.
    static let floor: UInt32 = 0x075100

    func requireFloor() throws(Unsupported) {
        guard number >= Self.floor else {
            throw Unsupported("libcurl \(version)", "7.81 is the oldest version this transport works with")
        }
    }
}

import HTTPSupport

#if canImport(FoundationNetworking)
import Dispatch
import Foundation
import FoundationNetworking

/// The parts that are specific to URLSession over libcurl.
enum PlatformSession {
    /// Fields that the engine adds. A value of spaces makes libcurl leave one out.
    static let unwantedFields = ["Accept-Language"]
    static let omission = " "

    /// The engine's words tell what was never sent.
    static let hidesSending = false

    static func makeQueue() -> OperationQueue { InlineQueue() }

    static func prepare() { _ = prepared }

    /// Each session initializes libcurl, which takes two at once only from 7.84 on: the first is made here, and before it
    /// OpenSSL is looked for.
    private static let prepared: Void = {
        _ = SystemLibrary.openSSL
        URLSession(configuration: .ephemeral).finishTasksAndInvalidate()
    }()

    /// A serial queue, so that a task is started before it is cancelled, and a session ends after both.
    private static let commands = DispatchQueue(label: "straightline.urlsession.commands")

    /// Runs `work`, which starts or ends a task, soon. Making, starting or cancelling a task waits for the work queue
    /// that all sessions of the process share, and that one server can keep busy, for example with a flood of trailer
    /// fields.
    static func command(_ work: @escaping @Sendable () -> Void) { commands.async(execute: work) }

    /// libcurl repeats any request whose kept connection was lost, even a POST, and repeats a partly sent body without
    /// the part already sent. On its own connection it repeats only what the server has refused: see
    /// `UploadCarrier.refuse()`.
    static func needsOwnConnection(_ request: Request) -> Bool { !request.method.isIdempotent || !request.body.isEmpty }

    /// Whether a session that ends with a connection over TLS ends the process: from libcurl 8.9 on, which calls back to shut the
    /// connection down (swift-corelibs-foundation 5203).
    private static let endsProcess = SystemLibrary.libcurlVersion.map { $0 >= 0x080900 } ?? false

    /// The engine's own source of a body in memory cannot be stopped.
    static func streams(_ body: RequestBody) -> Bool { !body.isEmpty }

    /// libcurl shares the connections of a session if a status line says HTTP/2, also when nothing negotiated it.
    static let sharesSession = false

    static func check(_ configuration: URLSessionConfiguration) throws(HTTPError) {
        guard configuration.connectionProxyDictionary?.isEmpty ?? true else {
            throw unsupported("a proxy configuration", "takes http_proxy and https_proxy from the environment")
        }
    }

    /// The proxies in use, for `ClientTrust`; nil for none.
    static func proxyTrust(_ configuration: URLSessionConfiguration) -> String? {
        ProxyConfiguration.ownEnvironment.trustText
    }

    /// The proxy of a call to `origin`, for its record; nil for none.
    static func proxy(for origin: Origin) -> String? {
        (try? ProxyConfiguration.ownEnvironment.proxy(for: origin))?.authority
    }

    static func check(_ request: Request, keepsConnections: Bool) throws(HTTPError) {
        if request.version == .http1, request.url.scheme == .https {
            throw unsupported("a limit to HTTP/1.1 over TLS", "cannot be kept from HTTP/2")
        }
        // Both answers come as heads of the task, and nothing tells which is whose.
        if request.url.scheme == .https, let proxy = try? ProxyConfiguration.ownEnvironment.proxy(for: request.origin),
            proxy.kind == .http || proxy.kind == .https
        {
            throw unsupported("https through the proxy \(proxy.authority)", "takes its answer for the server's")
        }
        if request.url.scheme == .https, !keepsConnections || needsOwnConnection(request), endsProcess {
            throw unsupported(
                "\(request.method) over TLS with a connection of its own",
                "ends the process behind it, with this libcurl")
        }
        if request.headers.combinedValue(for: "TE").map(ASCII.lowercased)?.contains("trailers") == true {
            throw unsupported("TE: trailers", "ends the process when trailer fields come")
        }
        if request.method == .get, !request.body.isEmpty {
            throw unsupported("\(request.method) with a body", "refuses to send one")
        }
        if request.watchesUpload { throw unsupported("the progress of an upload", "takes a body whole") }
        // The engine compares these names without case, and would send another method.
        let capitals = request.method.rawValue.uppercased()
        if request.method.rawValue != capitals, ["GET", "HEAD", "POST", "PUT", "DELETE"].contains(capitals) {
            throw unsupported("the method \(request.method)", "would send it in capitals")
        }
    }

    /// Most failures have one code, and libcurl's message.
    static func meaning(of failure: SessionFailure) -> SessionFailure.Meaning? {
        EngineWords.meaning(of: failure.message, isRefused: failure.code == .cannotConnectToHost)
    }

    /// How to make a transport with other TLS settings.
    static let tlsRemedy = "URLSession on Linux takes none, use CurlTransport(CurlConfiguration(tls: …))"

    /// What to do about a certificate, in place of the settings that there are none of here.
    static func advice(_ reason: TLSFailure.Reason) -> String? {
        switch reason {
        case .untrusted: "install it here, or give it to a CurlTransport as TLSConfiguration.authorities"
        case .clientCertificate: "give one to a CurlTransport as TLSConfiguration.clientCertificates"
        case .expired, .notYetValid, .revoked, .wrongHost, .wrongPin, .badConfiguration, .handshake: nil
        }
    }

    /// `reason` says what it does instead, without the subject. `isAnswered`: whether only the answer showed it.
    static func unsupported(_ feature: String, _ reason: String, isAnswered: Bool = false) -> HTTPError {
        let answered = isAnswered ? "the server has answered, but " : ""
        return .unsupported(Unsupported(feature, "\(answered)URLSession on Linux \(reason); use CurlTransport"))
    }

    /// The engine returns the fields unchanged.
    static func wireFields(_ headers: HTTPHeaders) -> HTTPHeaders { headers }

    /// Waits a moment for the reader to catch up. A suspended task would start over when resumed, so that its data
    /// would arrive twice: this is the only way to slow it down. Each wait is short, because all sessions of the
    /// process share the waiting queue, and the reader may be waiting for another one.
    static func holdBack(_ task: URLSessionTask, _ mailbox: SessionEventQueue) {
        mailbox.waitForRoom(until: .now + .milliseconds(100))
    }

    static func catchUp(_ task: URLSessionTask, _ mailbox: SessionEventQueue) {}

    /// A cancelled task traps when its redirect is answered, and does not need the answer.
    static func refuseRedirect(_ mailbox: SessionEventQueue?, _ answer: @escaping @Sendable (URLRequest?) -> Void) {
        guard mailbox?.isClosed == false else { return }
        answer(nil)
    }

    /// The challenge arrives after the whole response, and only credentials would end the task.
    static func answer(
        _ challenge: URLAuthenticationChallenge, of task: URLSessionTask, _ mailbox: SessionEventQueue?,
        _ trust: SessionTrust,
        _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // The reader cancels the task: from here, cancelling would wait for itself.
        mailbox?.post(.challenged)
    }

    static func makeTask(_ session: URLSession, _ request: URLRequest, _ upload: UploadCarrier?) -> URLSessionDataTask {
        var request = request
        if let upload { request.httpBodyStream = UploadInput(upload) }
        return session.dataTask(with: request)
    }
}
#endif

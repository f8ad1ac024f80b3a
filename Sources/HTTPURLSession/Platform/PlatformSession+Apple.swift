#if !canImport(FoundationNetworking)
import Foundation

/// The parts that are specific to the system's URLSession.
enum PlatformSession {
    /// Fields that the engine adds. They can only be made empty, not removed.
    static let unwantedFields = ["Accept-Language"]
    static let omission = ""

    /// Only the metrics of a task tell whether its request was sent: the codes do not, nor does anything before if there
    /// is no body.
    static let hidesSending = true

    /// A serial queue for this transport only. A caller waits for what it delivers, without a lock that would lend its
    /// priority.
    static func makeQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.qualityOfService = .userInitiated
        queue.name = "straightline.urlsession"
        return queue
    }

    static func prepare() {}

    /// Runs `work`, which starts or ends a task. It does not block here.
    static func command(_ work: @Sendable () -> Void) { work() }

    static func needsOwnConnection(_ request: Request) -> Bool { false }

    static func streams(_ body: RequestBody) -> Bool { body.isStreamed }

    /// One session for all exchanges: the system negotiates HTTP/2 itself.
    static let sharesSession = true

    /// A background session follows redirects by itself.
    static func check(_ configuration: URLSessionConfiguration) throws(HTTPError) {
        guard configuration.identifier == nil else {
            throw unsupported("a background configuration", "follows redirects by itself, with all that was sent")
        }
    }

    /// The proxies of the configuration, for `ClientTrust`; nil for none.
    static func proxyTrust(_ configuration: URLSessionConfiguration) -> String? {
        ClientTrust.text((configuration.connectionProxyDictionary ?? [:]).map { "\($0.key) \($0.value)" })
    }

    /// The system does not tell.
    static func proxy(for origin: Origin) -> String? { nil }

    static func check(_ request: Request, keepsConnections: Bool) throws(HTTPError) {
        if request.version == .http1, request.url.scheme == .https {
            throw unsupported("a limit to HTTP/1.1 over TLS", "leaves the version to the system")
        }
        if request.watchesUpload {
            throw unsupported("the progress of an upload", "does not say how much was sent")
        }
        if request.method == .get, !request.body.isEmpty {
            throw unsupported("GET with a body", "refuses to send one")
        }
        if let reserved = reservedFields.first(where: request.headers.contains) {
            throw unsupported("the header \(reserved)", "sets it itself")
        }
    }

    /// The fields that the system reserves by its documentation, except Authorization, which it sends as given, and
    /// Content-Length, which no caller's request has.
    private static let reservedFields = [
        "Host", "Connection", "Proxy-Authenticate", "Proxy-Authorization", "WWW-Authenticate",
    ]

    /// The codes count: the system's messages are in the user's language, and name hosts.
    static func meaning(of failure: SessionFailure) -> SessionFailure.Meaning? {
        failure.code == .unsupportedURL ? .unusableURL : nil
    }

    /// How to make a transport with other TLS settings.
    static let tlsRemedy = "make it with the same ones, URLSessionTransport(tls: …)"

    static func advice(_ reason: TLSFailure.Reason) -> String? { nil }

    /// `reason` says what it does instead, without the subject. `isAnswered`: whether only the answer showed it.
    static func unsupported(_ feature: String, _ reason: String, isAnswered: Bool = false) -> HTTPError {
        let answered = isAnswered ? "the server has answered, but " : ""
        return .unsupported(Unsupported(feature, "\(answered)URLSession \(reason)"))
    }

    /// The system decodes the transfer coding and adds `Transfer-Encoding: identity`, which is removed.
    static func wireFields(_ headers: HTTPHeaders) -> HTTPHeaders {
        HTTPHeaders(
            headers.filter { !($0.isNamed("Transfer-Encoding") && $0.value.lowercased() == "identity") })
    }

    static func holdBack(_ task: URLSessionTask, _ mailbox: SessionEventQueue) {
        guard mailbox.beginHold() else { return }
        task.suspend()
        if mailbox.confirmHold() { task.resume() }
    }

    static func catchUp(_ task: URLSessionTask, _ mailbox: SessionEventQueue) {
        if mailbox.releaseHold() { task.resume() }
    }

    static func refuseRedirect(_ mailbox: SessionEventQueue?, _ answer: @escaping @Sendable (URLRequest?) -> Void) {
        answer(nil)
    }

    /// `trust` decides. A proxy's challenges are left to the system, which has its credentials. A server gets none, and its
    /// response is returned as it is: without a credential the system goes on without one.
    static func answer(
        _ challenge: URLAuthenticationChallenge, of task: URLSessionTask, _ mailbox: SessionEventQueue?,
        _ trust: SessionTrust,
        _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        switch trust.answer(challenge) {
        case .systemDefault: answer(.performDefaultHandling, nil)
        case .withhold: answer(.useCredential, nil)
        case .credential(let credential): answer(.useCredential, credential)
        case .reject(let failure):
            // A cancelled challenge ends the task as if it had been cancelled, so the reason is posted first.
            mailbox?.post(.rejected(failure, isProxy: challenge.protectionSpace.isProxy()))
            answer(.cancelAuthenticationChallenge, nil)
        }
    }

    static func makeTask(_ session: URLSession, _ request: URLRequest, _ upload: UploadCarrier?) -> URLSessionDataTask {
        var request = request
        switch upload {
        case .file(let path): return session.uploadTask(with: request, fromFile: URL(fileURLWithPath: path))
        case .streams(let streams): request.httpBodyStream = streams.reader
        case nil: break
        }
        return session.dataTask(with: request)
    }
}
#endif

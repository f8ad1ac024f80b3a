#if !canImport(FoundationNetworking)
import Foundation
import HTTPCore

/// What the system's URLSession does in its own way.
enum PlatformSession {
    /// Fields that the engine adds by itself. They cannot be left out, only be made empty.
    static let unwantedFields = ["Accept-Language"]
    static let omission = ""

    /// Serial, and of this transport alone.
    static func makeQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        queue.name = "straightline.urlsession"
        return queue
    }

    /// Runs `work`, which starts or ends a task: here that waits for nothing.
    static func command(_ work: @Sendable () -> Void) { work() }

    static func needsOwnConnection(_ request: Request) -> Bool { false }

    /// A background session follows redirects without asking.
    static func check(_ configuration: URLSessionConfiguration) throws(HTTPError) {
        guard configuration.identifier == nil else {
            throw unsupported("a background configuration", "it follows redirects by itself, with all that was sent")
        }
    }

    static func check(_ request: Request) throws(HTTPError) {
        if request.version == .http1 {
            throw unsupported("a limit to HTTP/1.1", "the system chooses the version")
        }
        if request.watchesUpload {
            throw unsupported("the progress of an upload", "nothing here says how much was sent")
        }
        if request.method == .get, !request.body.isEmpty {
            throw unsupported("GET with a body", "the system refuses to send one")
        }
        if let reserved = reservedFields.first(where: request.headers.contains) {
            throw unsupported("the header \(reserved)", "the system sets it itself")
        }
    }

    /// What the system keeps to itself by its documentation, but for Authorization, which it sends as it is given, and
    /// Content-Length, which no request of a caller's has.
    private static let reservedFields = [
        "Host", "Connection", "Proxy-Authenticate", "Proxy-Authorization", "WWW-Authenticate",
    ]

    static func unsupported(_ feature: String, _ reason: String) -> HTTPError {
        .unsupported(Unsupported(feature, "URLSession: \(reason)"))
    }

    /// The system undoes the transfer coding and says so in a field of its own.
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

    /// Certificates are answered for by `trust`. Everything else is left to the system: it knows the proxies' credentials,
    /// has none for servers, and delivers the response as it is.
    static func answer(
        _ challenge: URLAuthenticationChallenge, of task: URLSessionTask, _ mailbox: SessionEventQueue?,
        _ trust: SessionTrust,
        _ answer: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        switch trust.answer(challenge) {
        case .systemDefault: answer(.performDefaultHandling, nil)
        case .credential(let credential): answer(.useCredential, credential)
        case .reject(let failure):
            // A cancelled challenge ends the task as if it had been cancelled, so the reason goes ahead.
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

import Foundation
import HTTPSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Passes the events of tasks to the threads that wait for them. It follows no redirects and supplies no credentials;
/// `SessionTrust` decides about certificates.
///
/// Its properties are constants that any thread may use.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    /// Kept until the session has finished the task, even if the caller has gone.
    struct Entry: Sendable {
        let mailbox: SessionEventQueue
        let upload: UploadCarrier?
        var mayBeSent = PlatformSession.hidesSending
    }

    private let trust: SessionTrust
    private let entries = Locked<[Int: Entry]>([:])

    init(_ trust: SessionTrust) { self.trust = trust }

    /// Registers a task that has not been resumed yet.
    func add(_ task: URLSessionTask, _ entry: Entry) { entries.withLock { $0[task.taskIdentifier] = entry } }

    /// Nil for a task that has ended.
    private func mailbox(of task: URLSessionTask) -> SessionEventQueue? {
        entries.withLock { $0[task.taskIdentifier]?.mailbox }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let head = SessionHead(response) { mailbox(of: dataTask)?.post(.head(head)) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let mailbox = mailbox(of: dataTask) else { return }
        mailbox.post(.body(data))
        PlatformSession.holdBack(dataTask, mailbox)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        mailbox(of: task)?.post(.sent(totalBytesSent))
    }

    #if canImport(FoundationNetworking)
    /// libcurl wants to send the body on another connection, because the server has refused the stream. FoundationNetworking
    /// says that it can, whatever the answer.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        entries.withLock { $0[task.taskIdentifier]?.upload }?.refuse()
        completionHandler(nil)
    }
    #else
    /// Comes before the end of the task, and tells of each time that the system tried.
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        let tries = metrics.transactionMetrics
        guard !tries.isEmpty, tries.allSatisfy({ $0.requestStartDate == nil }) else { return }
        entries.withLock { $0[task.taskIdentifier]?.mayBeSent = false }
    }
    #endif

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        PlatformSession.refuseRedirect(mailbox(of: task), completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        PlatformSession.answer(challenge, of: task, mailbox(of: task), trust, completionHandler)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let entry = entries.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        let failure = error.map { SessionFailure($0, mayBeSent: entry?.mayBeSent ?? true) }
        entry?.mailbox.post(.completed(failure, SessionHead(task.response)))
    }
}

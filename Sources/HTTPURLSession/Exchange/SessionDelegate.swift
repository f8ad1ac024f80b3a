import HTTPCore

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// Hands what the session tells about its tasks to the threads that wait for them. It follows no
/// redirect and looks for no credentials; `SessionTrust` answers for certificates.
///
/// Its fields are constants that any thread may use.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    /// Belongs to a task until the session has finished it, even if its caller has gone.
    struct Entry: Sendable {
        let mailbox: SessionEventQueue
        let upload: UploadCarrier?
    }

    private let trust: SessionTrust
    private let entries = Locked<[Int: Entry]>([:])

    init(_ trust: SessionTrust) { self.trust = trust }

    /// Takes over a task that was not resumed yet.
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
        entry?.mailbox.post(.completed(error.map(SessionFailure.init), SessionHead(task.response)))
    }
}

import Foundation
import HTTPSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A task of a session, from start to end. No thread waits for the session: on Linux it starts and cancels tasks on the
/// one work queue of all sessions, which any server can keep busy for seconds. Any thread may use it.
final class SessionTask: Sendable {
    private enum State: Sendable {
        /// Until the task is made.
        case waiting(URLRequest, UploadCarrier?)
        case running(URLSessionDataTask)
        case over
    }

    private let state: Locked<State>
    private let session: SessionPool.Session
    private let mailbox: SessionEventQueue

    init(_ session: SessionPool.Session, _ request: URLRequest, _ upload: UploadCarrier?, mailbox: SessionEventQueue) {
        self.session = session
        self.mailbox = mailbox
        state = Locked(.waiting(request, upload))
    }

    /// Starts the task soon, unless it is cancelled before.
    func start() { PlatformSession.command { self.startNow() } }

    /// Cancels the task soon. From now on the queue accepts no events.
    ///
    /// The queue is closed first, so that the redirect of a cancelled task is not answered: FoundationNetworking traps
    /// on that.
    func cancel() {
        mailbox.close()
        let last = state.withLock { state in
            defer { state = .over }
            return state
        }
        if case .running(let task) = last { PlatformSession.command { task.cancel() } }
    }

    /// Called when the reader has taken events: resumes a suspended task.
    func catchUp() {
        if case .running(let task) = state.withLock(\.self) { PlatformSession.catchUp(task, mailbox) }
    }

    private func startNow() {
        guard case .waiting(let request, let upload) = state.withLock(\.self) else { return }
        let task = PlatformSession.makeTask(session.session, request, upload)
        session.delegate.add(task, SessionDelegate.Entry(mailbox: mailbox, upload: upload))
        let isOver = state.withLock { state in
            if case .over = state { return true }
            state = .running(task)
            return false
        }
        // Making the task may have taken longer than the call's time. A later cancellation comes after this.
        if isOver { task.cancel() } else { task.resume() }
    }
}

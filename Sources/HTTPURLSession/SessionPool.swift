import HTTPCore

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The sessions of one transport: one with kept connections, and where the engine asks for it one for a single
/// exchange.
final class SessionPool: Sendable {
    /// A session and its delegate.
    struct Session: Sendable {
        let session: URLSession
        let delegate = SessionDelegate()

        init(_ configuration: URLSessionConfiguration) {
            session = URLSession(
                configuration: configuration, delegate: delegate, delegateQueue: PlatformSession.makeQueue())
        }
    }

    private let shared: Session
    private let configuration: Locked<URLSessionConfiguration>

    init(_ base: URLSessionConfiguration) {
        let configuration = SessionSettings.applied(to: base)
        shared = Session(configuration)
        self.configuration = Locked(configuration)
    }

    /// A session keeps its delegate and its queue until it is told to go.
    deinit { shared.session.finishTasksAndInvalidate() }

    /// Runs `exchange` with a session for `request`.
    func withSession<Value>(for request: Request, _ exchange: (Session) -> Value) -> Value {
        guard PlatformSession.needsOwnConnection(request) else { return exchange(shared) }
        let session = configuration.withLock { Session($0) }
        defer { session.session.finishTasksAndInvalidate() }
        return exchange(session)
    }
}

enum SessionSettings {
    /// `base` without everything that remembers: cookies, credentials and cache belong to the layers above, and so do
    /// the limits of time.
    static func applied(to base: URLSessionConfiguration) -> URLSessionConfiguration {
        let configuration = base.copy() as? URLSessionConfiguration ?? .ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = URLRequest.longestTimeout
        configuration.timeoutIntervalForResource = URLRequest.longestTimeout
        // How many calls run at once is the callers' to decide.
        configuration.httpMaximumConnectionsPerHost = 10_000
        return configuration
    }
}

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
        let delegate: SessionDelegate

        init(_ configuration: URLSessionConfiguration, _ trust: SessionTrust) {
            delegate = SessionDelegate(trust)
            session = URLSession(
                configuration: configuration, delegate: delegate, delegateQueue: PlatformSession.makeQueue())
        }

        /// Ends it once its tasks have, those included that are still to be started: it traps on a task that comes later.
        func end() { PlatformSession.command { session.finishTasksAndInvalidate() } }
    }

    private let shared: Session
    private let configuration: Locked<URLSessionConfiguration>

    private let trust: SessionTrust
    private let keepsConnections: Bool

    init(_ base: URLSessionConfiguration, _ trust: SessionTrust = .system, keepsConnections: Bool = true) {
        self.trust = trust
        self.keepsConnections = keepsConnections
        let configuration = SessionSettings.applied(to: base)
        trust.apply(to: configuration)
        shared = Session(configuration, trust)
        self.configuration = Locked(configuration)
    }

    /// A session keeps its delegate and its queue until it is told to go.
    deinit { shared.end() }

    /// Runs `exchange` with a session for `request`.
    func withSession<Value>(for request: Request, _ exchange: (Session) -> Value) -> Value {
        if keepsConnections, !PlatformSession.needsOwnConnection(request) { return exchange(shared) }
        let session = configuration.withLock { Session($0, trust) }
        defer { session.end() }
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

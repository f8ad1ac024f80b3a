import HTTPCore

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The sessions of one transport: one that keeps connections and, if the engine requires it, one for a single exchange.
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

        /// Ends the session after its tasks, including those not yet started: it traps on a later task.
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

    /// A session keeps its delegate and its queue until it is invalidated.
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
    /// `base` without state and timeouts: cookies, credentials, the cache and timeouts belong to the layers above.
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
        // The callers decide how many calls run at once.
        configuration.httpMaximumConnectionsPerHost = 10_000
        return configuration
    }
}

import Foundation
import HTTPSupport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The sessions of one transport: those that keep connections and, if the engine requires it, one for a single exchange.
///
/// The engine may share a connection between the tasks of a session because its server says that it speaks HTTP/2.
/// Where this cannot be prevented, a session runs one exchange at a time.
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

    /// An idle session, and the origin of its last exchange.
    private struct Idle: Sendable {
        let session: Session
        let origin: Origin
    }

    private static let mostIdle = 8

    /// The session of all exchanges; nil if each runs in its own.
    private let shared: Session?
    private let idle = Locked([Idle]())
    private let configuration: Locked<URLSessionConfiguration>

    private let trust: SessionTrust
    let keepsConnections: Bool

    init(_ base: URLSessionConfiguration, _ trust: SessionTrust = .system, keepsConnections: Bool = true) {
        PlatformSession.prepare()
        self.trust = trust
        self.keepsConnections = keepsConnections
        let configuration = SessionSettings.applied(to: base)
        trust.apply(to: configuration)
        shared = PlatformSession.sharesSession && keepsConnections ? Session(configuration, trust) : nil
        self.configuration = Locked(configuration)
    }

    /// A session keeps its delegate and its queue until it is invalidated.
    deinit {
        shared?.end()
        for kept in idle.withLock(\.self) { kept.session.end() }
    }

    /// Runs `exchange` with a session for `request`. It says whether the session is free afterwards: a task that was
    /// cancelled may still be running.
    func withSession<Value>(for request: Request, _ exchange: (Session) -> (value: Value, isFree: Bool)) -> Value {
        if let shared { return exchange(shared).value }
        let keeps = keepsConnections && !PlatformSession.needsOwnConnection(request)
        let session = (keeps ? takeIdle(for: request.origin) : nil) ?? configuration.withLock { Session($0, trust) }
        let (value, isFree) = exchange(session)
        if keeps, isFree { putIdle(session, request.origin) } else { session.end() }
        return value
    }

    /// The session used last for `origin`, which may have a connection to it, or else any.
    private func takeIdle(for origin: Origin) -> Session? {
        idle.withLock { idle in
            let place = idle.lastIndex { $0.origin == origin } ?? idle.indices.last
            return place.map { idle.remove(at: $0).session }
        }
    }

    private func putIdle(_ session: Session, _ origin: Origin) {
        let surplus = idle.withLock { idle -> Session? in
            idle.append(Idle(session: session, origin: origin))
            return idle.count > Self.mostIdle ? idle.removeFirst().session : nil
        }
        surplus?.end()
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

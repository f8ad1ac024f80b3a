@_exported public import HTTPCore

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// An `HTTPClient` over URLSession: the system's own on Apple's systems, that of FoundationNetworking on Linux.
///
/// It is for where the system's network is to be used as the system is set up: proxies, device management, App
/// Transport Security. Redirects, cookies, limits and deadlines are the same as with any other engine, for they are
/// decided here; what URLSession cannot do is `.unsupported`, and nothing is sent. `docs/urlsession.md` lists what
/// differs.
///
/// On Linux `CurlTransport` is the better choice: FoundationNetworking hides much of what this needs to see, and ends the
/// process on answers that carry trailer fields or break off within their head. A server that floods it with trailer fields
/// stops all URLSession calls of the process, which still end at their limits.
///
/// Any number of threads may use one transport at once. There is nothing to shut down.
public final class URLSessionTransport: HTTPClient {
    private let pool: SessionPool
    private let userAgent: String?

    /// A transport with an ephemeral configuration.
    public init() {
        pool = SessionPool(.ephemeral)
        userAgent = Self.defaultUserAgent
    }

    /// A transport with the proxies, the TLS versions, the network access and the protocol classes of `configuration`,
    /// which is copied. Its cookies, credentials, cache and timeouts are not used.
    ///
    /// `tls` adds certificates, pins, authorities and hosts that are not verified. On Apple's systems a client certificate
    /// must be PKCS#12, authorities a file or bytes, and `SSL_CERT_FILE` and `SSL_CERT_DIR` are not read; TLS 1.2 is the
    /// lowest version. On Linux any setting that differs from its default is `.unsupported`.
    ///
    /// `userAgent` is sent where a request names none; it must be one line. Without `keepsConnections` each exchange has a
    /// connection of its own, which costs a handshake: on Linux a kept connection hands what a server sent between two
    /// exchanges, unasked, to the next request as its answer. Throws `.unsupported` for what the URLSession at hand would
    /// ignore.
    public init(
        _ configuration: URLSessionConfiguration = .ephemeral,
        tls: TLSConfiguration = TLSConfiguration(environment: [:]),
        userAgent: String? = URLSessionTransport.defaultUserAgent, keepsConnections: Bool = true
    ) throws(HTTPError) {
        guard configuration.httpAdditionalHeaders?.isEmpty ?? true else {
            throw .unsupported(
                Unsupported(
                    "header fields in a configuration",
                    "they would go to every host, behind a redirect too: .intercepted(by: .applying(…)) adds some to "
                        + "requests"))
        }
        try PlatformSession.check(configuration)
        if let userAgent, userAgent.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw .unsupported(
                Unsupported("the User-Agent \(userAgent.debugDescription)", "it contains a control character"))
        }
        pool = SessionPool(configuration, try SessionTrust(tls), keepsConnections: keepsConnections)
        self.userAgent = userAgent
    }

    /// The product that is named unless the request or the configuration says otherwise.
    public static let defaultUserAgent = Straightline.userAgent

    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        let call = Call(token: CancellationToken.current)
        var plan = CallPlan(request)
        do throws(HTTPError) {
            while true {
                if call.isCancelled { throw HTTPError.cancelled(CallRecord(plan.request, redirects: plan.redirects)) }
                if let response = try exchange(&plan, call) { return .success(response) }
            }
        } catch {
            return .failure(error)
        }
    }

    /// What stays the same through all exchanges of a call.
    private struct Call {
        let token: CancellationToken?
        let start = TimePoint.now

        var isCancelled: Bool { token?.isCancelled ?? false }
    }

    /// Runs one exchange. Nil when the call goes on with another one.
    private func exchange(_ plan: inout CallPlan, _ call: Call) throws(HTTPError) -> Response? {
        try RequestCheck.check(plan.sent)
        let start = plan.attempts == 0 ? call.start : .now
        let deadline = plan.request.timeouts.deadline(from: call.start)
        plan.begin(
            after: call.start.duration(to: start),
            timeLeft: deadline.map { TimePoint.now.duration(to: $0.point) })
        let urlRequest = try OutgoingRequest.make(plan.sent, userAgent: userAgent)
        let (run, outcome) = pool.withSession(for: plan.request) { session in
            var run = SessionRun(session, urlRequest, plan: plan, callStart: call.start, start: start)
            let outcome = run.perform(token: call.token)
            return (run, outcome)
        }
        switch plan.advance(after: outcome, record: { _ in run.record(.receiving) }) {
        case .send: return nil
        case .fail(let error): throw error
        case .deliver:
            guard case .answered(let head) = outcome else { return nil }
            return Response(
                request: plan.request, status: head.status, version: head.version, headers: head.headers,
                body: run.body, bodyByteCount: run.bodyByteCount, metrics: run.metrics, redirects: plan.redirects)
        }
    }
}

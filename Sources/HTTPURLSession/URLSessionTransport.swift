@_exported public import HTTPEngine
import HTTPSupport
@_exported public import HTTPCore

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// An `HTTPClient` over URLSession: the system's own on Apple's systems, and FoundationNetworking on Linux.
///
/// Use it if the network settings of the system must apply: proxies, device management, App Transport Security.
/// Redirects, cookies, limits and deadlines work as with any other engine, because this package implements them. A
/// feature that URLSession lacks is `.unsupported`, and nothing is sent, except where only the answer shows it: a
/// content coding that URLSession cannot take, or a body that it loses. `docs/urlsession.md` lists the differences.
///
/// On Linux `CurlTransport` is the better choice. FoundationNetworking hides information that this transport needs, and
/// ends the process on responses that have trailer fields or break off in their head, and on some values of Location and
/// Content-Length. With libcurl 8.9 or later, a session that ends with a connection over TLS ends the process: an
/// https request with a body is `.unsupported` there, one with a method that is not idempotent, such as POST, and any without
/// `keepsConnections`. A server that floods a call with fields stops all URLSession calls of the process for seconds; they
/// still end at their limits. https through a proxy of HTTP is `.unsupported` there.
///
/// Any number of threads may use one transport at once. There is nothing to shut down.
public final class URLSessionTransport: HTTPClient, TrustingClient {
    private let pool: SessionPool
    package let trust: ClientTrust
    private let userAgent: String?
    /// What it applies, for services that require certain settings.
    private let tls: TLSConfiguration

    /// A transport with an ephemeral configuration.
    public init() {
        pool = SessionPool(.ephemeral)
        trust = Self.trust(.ephemeral, TLSConfiguration(environment: [:]), PackageVersion.userAgent)
        userAgent = PackageVersion.userAgent
        tls = TLSConfiguration(environment: [:])
    }

    /// A transport with the proxies, the TLS versions, the network access and the protocol classes of `configuration`,
    /// which is copied. Its cookies, credentials, cache and timeouts are not used.
    ///
    /// `tls` adds certificates, pins, authorities and unverified hosts. On Apple's systems a client certificate must be
    /// PKCS#12, and authorities a file or bytes; `SSL_CERT_FILE` and `SSL_CERT_DIR` are not read, and the minimum
    /// version is TLS 1.2. On Linux any setting that differs from its default is `.unsupported`, and the lowest version
    /// of TLS is that of the system's OpenSSL configuration.
    ///
    /// `userAgent` is sent if a request sets none; it must be one line. Without `keepsConnections` each exchange has
    /// its own connection, at the cost of a handshake. On Linux, a kept connection passes anything that a server sends
    /// between two exchanges to the next request as its response. Throws `.unsupported` for settings that the
    /// URLSession in use would ignore.
    public init(
        _ configuration: URLSessionConfiguration = .ephemeral,
        tls: TLSConfiguration = TLSConfiguration(environment: [:]),
        userAgent: String? = PackageVersion.userAgent, keepsConnections: Bool = true
    ) throws(HTTPError) {
        guard configuration.httpAdditionalHeaders?.isEmpty ?? true else {
            throw .unsupported(
                Unsupported(
                    "header fields in a configuration",
                    "they would go to every host, after a redirect, too: .intercepted(by: .applying(…)) adds some to "
                        + "requests"))
        }
        try PlatformSession.check(configuration)
        if let userAgent, userAgent.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            throw .unsupported(
                Unsupported("the User-Agent \(userAgent.debugDescription)", "it contains a control character"))
        }
        pool = SessionPool(configuration, try SessionTrust(tls), keepsConnections: keepsConnections)
        trust = Self.trust(configuration, tls, userAgent)
        self.userAgent = userAgent
        self.tls = tls
    }

    private static func trust(
        _ configuration: URLSessionConfiguration, _ tls: TLSConfiguration, _ userAgent: String?
    ) -> ClientTrust {
        let protocols = (configuration.protocolClasses ?? []).map { "\($0)" }
        return ClientTrust(
            "URLSession", userAgent: userAgent,
            tls.trustSettings.merging([
                "proxies": PlatformSession.proxyTrust(configuration), "protocols": ClientTrust.text(protocols),
            ]) { $1 })
    }

    @available(*, noasync, message: "await send(_:) of HTTPAsync")
    public func executeRequest(_ request: Request) -> Result<Response, HTTPError> {
        EngineCall.run(request, by: exchange)
    }

    /// Runs one exchange. Nil if another one follows.
    private func exchange(_ plan: inout CallPlan, _ call: EngineCall) throws(HTTPError) -> Response? {
        let start = plan.attempts == 0 ? call.start : .now
        let urlRequest: URLRequest
        do { urlRequest = try begin(&plan, call, start) } catch {
            throw error.behindRedirects(plan.unsentRecord(since: call.start))
        }
        var (run, outcome) = pool.withSession(for: plan.request) { session in
            var run = SessionRun(session, urlRequest, plan: plan, in: call, from: start)
            let outcome = run.perform()
            return ((run, outcome), run.isTaskOver)
        }
        switch plan.advance(after: outcome, record: { _ in run.record(.receiving) }) {
        case .send: return nil
        case .fail(let error): throw error
        case .deliver: return run.response(of: plan)
        }
    }

    /// What is sent next, if it can be.
    private func begin(_ plan: inout CallPlan, _ call: EngineCall, _ start: TimePoint) throws(HTTPError) -> URLRequest {
        try OutgoingRequest.check(plan.request, keepsConnections: pool.keepsConnections)
        if let unsupported = plan.request.requiredTLS?.refusal(
            of: tls, for: plan.request.origin.host, remedy: PlatformSession.tlsRemedy)
        {
            throw .unsupported(unsupported)
        }
        plan.begin(
            after: call.start.duration(to: start),
            timeLeft: call.deadline.map { TimePoint.now.duration(to: $0.point) })
        return try OutgoingRequest.make(plan.sent, userAgent: userAgent)
    }
}

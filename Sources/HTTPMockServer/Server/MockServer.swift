/// A real HTTP server on the loopback interface, for tests of HTTP clients: HTTP/1.1 and HTTP/2, plain and over TLS.
///
/// A response comes from the queue (`enqueue`), else from the first matching route (`on`), else from `handler`. Without
/// any of them a request gets a 404 that says so. Each connection has its own thread, which runs the handlers. Handlers
/// may block; those of different connections, and of different streams of an HTTP/2 connection, run concurrently. Any
/// thread may call the members of a server, and any number of servers may run side by side.
///
/// A server stops when it is released. Keep a reference while it must answer.
///
/// ```swift
/// let server = try MockServer { request in .text("hello \(request.path)") }
/// let response = try client.send(.get(server.url("/world")))
/// try server.expect(.get, "/world")
/// ```
public final class MockServer: Sendable {
    /// Makes the answer to a complete request. It runs on the connection's thread, over HTTP/2 on the request's own
    /// thread, with a stack of 256 KiB. It must capture its server weakly: the server holds it.
    public typealias Handler = @Sendable (ReceivedRequest) -> MockResponse
    /// Makes the answer to a request as soon as its head has arrived; nil to read the body first.
    public typealias EarlyHandler = @Sendable (ReceivedRequest) -> MockResponse?

    /// The authority that a client must trust; nil without TLS.
    public let certificateAuthority: CertificateAuthority?
    let core: ServerCore

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - endpoint: Where to listen; a free port of 127.0.0.1 by default.
    ///   - security: Plain http by default; `.tls()` makes it https with a throw-away authority.
    ///   - versions: `.http1_1`, `.http2` or both, the preferred one first. Over TLS the client chooses by ALPN. A
    ///     plain connection uses HTTP/2 if it begins with the client's preface (RFC 9113 §3.3).
    ///   - http2: The settings announced to HTTP/2 clients.
    ///   - recording: Whether to keep the requests for `requests`, `takeRequest` and `expect`; all by default.
    ///   - bodyLimit: How many bytes of each request body to keep. The rest is read and counted.
    ///   - acceptsConnections: Whether connections are accepted. If not, the system still completes the handshake, so that a
    ///     client can connect and write but gets no response.
    ///   - answersContinue: Whether a client that expects it gets a `100 Continue` (RFC 9110 §10.1.1).
    ///   - handler: Answers the requests for which no response is queued.
    /// - Throws: `MockServerError.system` if the endpoint cannot be bound or the process is out of descriptors;
    ///   `.missingLibrary` if TLS or HTTP/2 is requested and OpenSSL or nghttp2 is not installed; `.tls` if OpenSSL
    ///   rejects the options.
    public init(
        on endpoint: Endpoint = .ipv4(),
        security: Security = .none,
        versions: [HTTPVersion] = [.http1_1],
        http2: HTTP2 = HTTP2(),
        recording: Recording = .all,
        bodyLimit: Int = .max,
        acceptsConnections: Bool = true,
        answersContinue: Bool = true,
        handler: Handler? = nil
    ) throws(MockServerError) {
        let options = ServerOptions(
            bodyLimit: bodyLimit, answersContinue: answersContinue,
            versions: versions.isEmpty ? [.http1_1] : versions, http2: http2)
        var tls: TLSContext?
        if case .tls(let settings) = security {
            let authority = if let given = settings.authority { given } else { try CertificateAuthority() }
            certificateAuthority = authority
            tls = try TLSContext(settings, authority, versions: options.versions)
        } else {
            certificateAuthority = nil
        }
        if options.speaksHTTP2 { _ = try Nghttp2.found() }
        core = try ServerCore(
            endpoint: endpoint,
            options: options,
            tls: tls,
            script: ServerScript(handler: handler),
            log: ServerLog(recording)
        )
        if acceptsConnections { try core.startAccepting() }
    }

    deinit { core.stop() }

    /// Closes the listening socket and every connection, and wakes every stall, delay and wait. Returns at once and
    /// does not wait for handlers. Stopping again does nothing.
    public func stop() { core.stop() }
}

extension MockServer {
    /// Where the server listens, with the port that the system chose.
    public var endpoint: Endpoint { core.endpoint }

    /// The port; 0 for a Unix domain socket.
    public var port: Int { core.endpoint.port }

    /// `http://` or `https://`, address and port, without a path. For a Unix domain socket the host is `localhost`.
    public var url: String {
        switch core.endpoint {
        case .ipv4, .ipv6: "\(scheme)://\(core.endpoint)"
        case .unix: "\(scheme)://localhost"
        }
    }

    private var scheme: String { core.tls == nil ? "http" : "https" }

    /// The URL of `target`, a path with or without a query, which is not escaped.
    public func url(_ target: String) -> String { target.hasPrefix("/") ? url + target : url + "/" + target }

    /// The URL of `target` with a host name in place of the address. The client must resolve it; only `localhost`
    /// resolves to the server by itself.
    public func url(_ target: String, host: String) -> String {
        "\(scheme)://\(host):\(port)" + (target.hasPrefix("/") ? target : "/" + target)
    }
}

extension MockServer {
    /// Answers the requests for which no response is queued. A new handler applies from the next request on.
    public var handler: Handler? {
        get { core.script.handlers.handler }
        set { core.script.changeHandlers { $0.handler = newValue } }
    }

    /// Called when the head of a request has arrived and no response is queued. The request has no body yet. See
    /// `MockResponse.isEarly` for the treatment of the body.
    public var earlyHandler: EarlyHandler? {
        get { core.script.handlers.earlyHandler }
        set { core.script.changeHandlers { $0.earlyHandler = newValue } }
    }

    /// Adds responses to the queue. Each is used once, in order, for any connection.
    public func enqueue(_ responses: MockResponse...) { core.script.enqueue(responses) }

    /// The number of unused queued responses.
    public var queuedCount: Int { core.script.queuedCount }

    /// The fault for new connections; nil, the default, serves them.
    public var connectionFault: ConnectionFault? {
        get { core.script.connectionFault }
        set { core.script.connectionFault = newValue }
    }

    /// Queues a fault for one connection; nil serves that connection. Queued faults are used in order.
    public func enqueueConnection(_ fault: ConnectionFault?) { core.script.enqueueConnection(fault) }
}

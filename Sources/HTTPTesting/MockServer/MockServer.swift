import HTTPCore

/// A real HTTP/1.1 server on the loopback interface, for tests of HTTP clients.
///
/// Answers come from a queue (`enqueue`), else from `handler`; with neither, a request gets a 404 that says so. Each
/// connection has a thread of its own, on which handlers run: they may block, and those of different connections run at
/// the same time. Everything here may be called from any thread.
///
/// A server stops when it is released. Keep a reference as long as it shall answer.
///
/// ```swift
/// let server = try MockServer { request in .text("hello \(request.path)") }
/// let body = try client.get(server.url("/world")).text
/// ```
public final class MockServer: Sendable {
    /// Makes the answer to a complete request. It runs on the connection's thread, with a stack of 256 KiB. If it captures
    /// its server, then weakly: the server holds it.
    public typealias Handler = @Sendable (ReceivedRequest) -> MockResponse
    /// Makes the answer to a request of which only the head has arrived, or nil to read the body first.
    public typealias EarlyHandler = @Sendable (ReceivedRequest) -> MockResponse?

    let core: ServerCore

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - endpoint: Where to listen; a free port of 127.0.0.1 by default.
    ///   - recording: Which requests to keep for `requests` and `takeRequest`; all by default.
    ///   - bodyLimit: How many bytes of each request body to keep. The rest is read and counted.
    ///   - accepts: Whether connections are accepted. When not, the system still completes the handshake, so that a
    ///     client can connect and write but never hears anything.
    ///   - answersContinue: Whether a client that expects it gets a `100 Continue` (RFC 9110 §10.1.1).
    ///   - handler: Answers the requests for which nothing is queued.
    /// - Throws: `MockServerError.system` when the endpoint cannot be bound or the process is out of descriptors.
    public init(
        on endpoint: Endpoint = .ipv4(),
        recording: Recording = .all,
        bodyLimit: Int = .max,
        accepts: Bool = true,
        answersContinue: Bool = true,
        handler: Handler? = nil
    ) throws(MockServerError) {
        core = try ServerCore(
            endpoint: endpoint,
            bodyLimit: bodyLimit,
            answersContinue: answersContinue,
            script: ServerScript(handler: handler),
            log: ServerLog(recording)
        )
        if accepts { try core.startAccepting() }
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

    /// `http://`, address and port, without a path. For a Unix domain socket it is `http://localhost`.
    public var url: String {
        switch core.endpoint {
        case .ipv4, .ipv6: "http://\(core.endpoint)"
        case .unix: "http://localhost"
        }
    }

    /// The URL of `target`, which is a path with or without a query and is not escaped.
    public func url(_ target: String) -> String { target.hasPrefix("/") ? url + target : url + "/" + target }
}

extension MockServer {
    /// Answers the requests for which nothing is queued. A new one counts from the next request on.
    public var handler: Handler? {
        get { core.script.handlers.handler }
        set { core.script.changeHandlers { $0.handler = newValue } }
    }

    /// Asked for an answer to each request as soon as its head has arrived, when nothing is queued. The request that it
    /// gets has no body. See `MockResponse.isEarly` for what becomes of the body.
    public var earlyHandler: EarlyHandler? {
        get { core.script.handlers.earlyHandler }
        set { core.script.changeHandlers { $0.earlyHandler = newValue } }
    }

    /// Adds answers to the queue. Each is given once, in order, to whichever connection asks first.
    public func enqueue(_ responses: MockResponse...) { core.script.enqueue(responses) }

    /// How many queued answers were not given yet.
    public var queuedCount: Int { core.script.queuedCount }

    /// What to do to new connections in place of serving them; nil, the default, serves them.
    public var connectionFault: ConnectionFault? {
        get { core.connectionScript.fault }
        set { core.connectionScript.fault = newValue }
    }

    /// Does this once, to the next connection that has nothing in this queue before it; nil serves it.
    public func enqueueConnection(_ fault: ConnectionFault?) { core.connectionScript.enqueue(fault) }
}

import HTTPCore

/// The answer of a `MockServer`, predictable byte by byte: only the fields that frame the body are added, and only if
/// `headers` has none of that name.
public struct MockResponse: Sendable {
    /// How the end of the body is marked (RFC 9112 §6).
    public enum Framing: Sendable, Hashable {
        /// By a `Content-Length`.
        case contentLength
        /// By chunks of these sizes in bytes, at least 1; the last size repeats until the body is used up.
        case chunked(sizes: [Int] = [16_384])
        /// By the end of the connection.
        case untilClose
        /// Not at all: the body is all that is written, in place of status line, headers and body.
        case raw
    }

    /// A 1xx response ahead of the final one (RFC 9110 §15.2).
    public struct Interim: Sendable, Hashable {
        /// The status, 100 to 199.
        public var status: HTTPStatus
        /// The header fields.
        public var headers: HTTPHeaders

        /// An interim response.
        public init(_ status: HTTPStatus, headers: HTTPHeaders = [:]) {
            self.status = status
            self.headers = headers
        }
    }

    /// The status of the final response.
    public var status: HTTPStatus
    /// The reason phrase; nil, the default, takes the one that RFC 9110 gives for the status.
    public var reason: String?
    /// The header fields in order. Content-Length is added by `framing`.
    public var headers: HTTPHeaders
    /// The body. It is not sent in answer to HEAD nor with 1xx, 204 and 304 (RFC 9110 §6.4.1).
    public var body: [UInt8]
    /// How the end of the body is marked; by its length unless changed.
    public var framing: Framing
    /// The trailer fields; sent with `.chunked` only.
    public var trailers: HTTPHeaders = [:]
    /// Responses to send first, each with a write of its own.
    public var informational: [Interim] = []
    /// Whether to go on with the next request on the connection, if the client wants to. When not, the answer says
    /// `Connection: close`. A close without notice is `.fault = .close(.afterBody)`.
    public var keepAlive = true
    /// How long to wait before the head. Stopping the server ends it at once; the client's leaving does so too.
    public var headDelay: Duration = .zero
    /// How long to wait between head and body.
    public var bodyDelay: Duration = .zero
    /// Whether to answer as soon as the head of the request is there. With `keepAlive` the body is then read as usual;
    /// without, the connection is half-closed, and what still comes is thrown away until the client closes. Over HTTP/2
    /// it is the stream alone that ends, by RST_STREAM with NO_ERROR (RFC 9113 §8.1).
    ///
    /// This is for queued responses, and `MockServer.earlyHandler` has no need of it.
    public var isEarly = false
    /// The network conditions, instead of the route's or the server's; see `MockServer.Conditions`.
    public var conditions = MockServer.Conditions()
    /// The fault; nil, the default, for none.
    public var fault: MockFault?

    /// A response with this status and body.
    public init(
        status: HTTPStatus = .ok,
        headers: HTTPHeaders = [:],
        body: [UInt8] = [],
        framing: Framing = .contentLength
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.framing = framing
    }
}

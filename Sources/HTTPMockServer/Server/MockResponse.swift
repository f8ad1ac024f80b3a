/// The response of a `MockServer`, exact to the byte: only the fields that frame the body are added, and only if
/// `headers` has none of that name.
public struct MockResponse: Sendable {
    /// How the end of the body is marked (RFC 9112 §6).
    public enum Framing: Sendable, Hashable {
        /// A `Content-Length`.
        case contentLength
        /// Chunks of these sizes in bytes, at least 1; the last size repeats until the end of the body. For a client of
        /// HTTP/1.0, which knows none, the end of the connection.
        case chunked(sizes: [Int] = [16_384])
        /// The end of the connection.
        case untilClose
        /// None: the body is sent instead of status line, headers and body.
        case raw
    }

    /// A 1xx response before the final one (RFC 9110 §15.2).
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
    /// The reason phrase; nil, the default, for that of RFC 9110.
    public var reasonPhrase: String?
    /// The header fields in order. Content-Length is added by `framing`.
    public var headers: HTTPHeaders
    /// The body. It is not sent in a response to HEAD or with status 1xx, 204 or 304 (RFC 9110 §6.4.1).
    public var body: [UInt8]
    /// How the end of the body is marked; by its length by default.
    public var framing: Framing
    /// The trailer fields; over HTTP/1.1 sent with `.chunked` only.
    public var trailers: HTTPHeaders = [:]
    /// Responses to send first, each in its own write.
    public var informational: [Interim] = []
    /// Whether to keep the connection open for the next request, if the client wants to. If false, the response has
    /// `Connection: close`. For a close without that header use `.fault = .close(.afterBody)`.
    public var keepsConnection = true
    /// How long to wait before the head. The wait ends when the server stops or the client leaves; a client that shuts
    /// down its writing side cannot be told from one that closed, and gets nothing more. So it is with every pause.
    public var headDelay: Duration = .zero
    /// How long to wait between head and body.
    public var bodyDelay: Duration = .zero
    /// Whether to answer as soon as the head of the request has arrived. With `keepsConnection` the body is then read as
    /// usual. Without it the connection is half-closed, and further data is discarded until the client closes. Over
    /// HTTP/2 only the stream ends, by RST_STREAM with NO_ERROR (RFC 9113 §8.1).
    ///
    /// Set it for queued responses; those of `MockServer.earlyHandler` do not need it.
    public var isEarly = false
    /// The network conditions, instead of the route's or the server's; see `MockServer.Conditions`.
    public var conditions = MockServer.Conditions()
    /// The fault; nil, the default, for none.
    public var fault: MockFault?

    /// A response with this status and body.
    public init(
        status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: [UInt8] = [], framing: Framing = .contentLength
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.framing = framing
    }
}

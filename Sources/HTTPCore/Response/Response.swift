public import HTTPFoundation
import HTTPSupport
import Synchronization

/// A complete response: a value that never needs closing.
public struct Response: Sendable {
    /// One object: the hundreds of bytes would otherwise lie in the frame of each function that holds a response, and
    /// in every task that waits for one.
    private let content: Content

    private struct Values: Sendable {
        var request: Request
        let status: HTTPStatus
        let reasonPhrase: String
        let version: HTTPVersion
        let headers: HTTPHeaders
        let trailers: HTTPHeaders
        let body: Data
        let bodyByteCount: Int64
        var metrics: Metrics
        var redirects: [RedirectHop]
        var carried: MessageValues
    }

    private final class Content: Sendable {
        let values: Values
        /// How long decoding of the body took, in nanoseconds.
        let decoding: Atomic<Int64>

        init(_ values: Values, decoding: Int64 = 0) {
            self.values = values
            self.decoding = Atomic(decoding)
        }
    }

    /// A response, for stubs and engines. `bodyByteCount` is the length of `body` unless the body went to another
    /// destination.
    public init(
        request: Request, status: HTTPStatus, reasonPhrase: String = "", version: HTTPVersion = .http1_1,
        headers: HTTPHeaders = [:], trailers: HTTPHeaders = [:], body: Data = Data(), bodyByteCount: Int64? = nil,
        metrics: Metrics = Metrics(), redirects: [RedirectHop] = []
    ) {
        self.init(
            request: request, status: status, reasonPhrase: reasonPhrase, version: version, headers: headers,
            trailers: trailers, body: body, bodyByteCount: bodyByteCount ?? Int64(body.count), metrics: metrics,
            redirects: redirects,
            carrying: MessageValues())
    }

    /// The same with the values that it carries.
    package init(
        request: Request, status: HTTPStatus, reasonPhrase: String, version: HTTPVersion, headers: HTTPHeaders,
        trailers: HTTPHeaders, body: Data, bodyByteCount: Int64, metrics: Metrics, redirects: [RedirectHop],
        carrying carried: MessageValues
    ) {
        content = Content(
            Values(
                request: request, status: status, reasonPhrase: reasonPhrase, version: version, headers: headers,
                trailers: trailers, body: body, bodyByteCount: bodyByteCount, metrics: metrics, redirects: redirects,
                carried: carried))
    }

    /// The request that this answers; after redirects, the last one.
    public var request: Request { content.values.request }
    /// The status. A 404 is an ordinary response until `validated()` is called.
    public var status: HTTPStatus { content.values.status }
    /// The server's reason phrase. Empty on HTTP/2.
    public var reasonPhrase: String { content.values.reasonPhrase }
    /// The HTTP version that the response arrived in.
    public var version: HTTPVersion { content.values.version }
    /// The header fields in the order received, without those of redirects.
    public var headers: HTTPHeaders { content.values.headers }
    /// The trailer fields after a chunked body, or after one over HTTP/2 (RFC 9110 §6.5). If an HTTP/2 body has a
    /// Content-Length, libcurl takes its last byte for the end of the response, and may not read the trailers.
    public var trailers: HTTPHeaders { content.values.trailers }
    /// The content after content decoding. Empty if it went to another destination; that of an error response is here,
    /// unless the destination is one `includingRefusals()`.
    public var body: Data { content.values.body }
    /// The number of bytes delivered to `body` or to another destination.
    public var bodyByteCount: Int64 { content.values.bodyByteCount }
    /// The timing of the exchange and the connection used.
    public package(set) var metrics: Metrics {
        get { content.values.metrics }
        set { self = changed { $0.metrics = newValue } }
    }

    /// This response as one to `request`, after these redirects.
    package func answering(_ request: Request, behind hops: [RedirectHop] = []) -> Response {
        changed { ($0.request, $0.redirects) = (request, hops + $0.redirects) }
    }

    private func changed(_ change: (inout Values) -> Void) -> Response {
        var values = content.values
        change(&values)
        return Response(Content(values, decoding: content.decoding.load(ordering: .relaxed)))
    }

    private init(_ content: Content) { self.content = content }

    /// Read without copying all metrics, like `figures`.
    var attempts: Int { content.values.metrics.attemptCount }
    package var figures: Metrics.Figures { Metrics.Figures(content.values.metrics) }

    /// How long decoding of the body has taken so far.
    var decodingTime: Duration { .nanoseconds(content.decoding.load(ordering: .relaxed)) }

    /// What `decode` gives, with its time in the history of the call, and its error as one of decoding.
    func decoding<Value>(_ type: Value.Type, _ decode: () throws -> Value) throws(HTTPError) -> Value {
        let start = TimePoint.now
        defer { content.decoding.add(start.span(to: .now).nanoseconds, ordering: .relaxed) }
        do { return try decode() } catch {
            throw .decoding(DecodingFailure(response: self, expectedType: "\(type)", underlying: error))
        }
    }

    /// The redirects that led here, in order.
    public var redirects: [RedirectHop] { content.values.redirects }

    package var carried: MessageValues { content.values.carried }

    /// The value for `key`, which a policy or a client has set; its default if none was set.
    public subscript<Key: MessageKey>(key: Key.Type) -> Key.Value {
        get { content.values.carried[key] }
        set { self = changed { $0.carried[key] = newValue } }
    }

    /// The URL that answered; after redirects, the last one.
    public var url: HTTPURL { request.url }

    /// The media type declared by the server; nil if there is none, or if it is invalid.
    public var mediaType: MediaType? { headers.mediaType }
}

/// A redirect that was followed.
public struct RedirectHop: Sendable, Hashable {
    /// The status of the redirect: 301, 302, 303, 307 or 308.
    public let status: HTTPStatus
    /// The method of the request that was redirected.
    public let method: HTTPMethod
    /// The URL that redirected.
    public let url: HTTPURL
    /// The target of the redirect.
    public let location: HTTPURL
    /// The fields of the redirect, Location and Set-Cookie among them. Its body is not kept.
    public let headers: HTTPHeaders

    /// A redirect from `url` to `location`.
    public init(
        status: HTTPStatus, method: HTTPMethod = .get, url: HTTPURL, location: HTTPURL, headers: HTTPHeaders = [:]
    ) {
        self.status = status
        self.method = method
        self.url = url
        self.location = location
        self.headers = headers
    }
}

extension Response: Redacted {
    /// The request line and the outcome, secrets masked.
    public var description: String {
        "\(request) → \(status)\(reasonPhrase.isEmpty ? "" : " " + ASCII.printable(reasonPhrase)), \(bodyByteCount) bytes"
    }

    package var shownParts: [Mirror.Child] { [("headers", headers)] }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A response, whole and finished: a value that never needs closing.
public struct Response: Sendable {
    /// One object for all of it: hundreds of bytes, which would lie in the frame of each function that has it in hand, and
    /// for as long as a task waits for it.
    private let content: Content

    private final class Content: Sendable {
        let request: Request
        let status: HTTPStatus
        let reason: String
        let version: HTTPVersion
        let headers: HTTPHeaders
        let trailers: HTTPHeaders
        let body: Data
        let bodyByteCount: Int64
        let metrics: Metrics
        let redirects: [RedirectHop]
        let cacheStatus: CacheStatus?

        init(
            request: Request, status: HTTPStatus, reason: String, version: HTTPVersion, headers: HTTPHeaders,
            trailers: HTTPHeaders, body: Data, bodyByteCount: Int64, metrics: Metrics, redirects: [RedirectHop],
            cacheStatus: CacheStatus?
        ) {
            self.request = request
            self.status = status
            self.reason = reason
            self.version = version
            self.headers = headers
            self.trailers = trailers
            self.body = body
            self.bodyByteCount = bodyByteCount
            self.metrics = metrics
            self.redirects = redirects
            self.cacheStatus = cacheStatus
        }
    }

    public init(
        request: Request, status: HTTPStatus, reason: String = "", version: HTTPVersion = .http1_1,
        headers: HTTPHeaders = [:], trailers: HTTPHeaders = [:], body: Data = Data(), bodyByteCount: Int64? = nil,
        metrics: Metrics = Metrics(), redirects: [RedirectHop] = [], cacheStatus: CacheStatus? = nil
    ) {
        content = Content(
            request: request, status: status, reason: reason, version: version, headers: headers, trailers: trailers,
            body: body, bodyByteCount: bodyByteCount ?? Int64(body.count), metrics: metrics, redirects: redirects,
            cacheStatus: cacheStatus)
    }

    /// The request that this answers: after redirects, the last one.
    public var request: Request { content.request }
    public var status: HTTPStatus { content.status }
    /// What the server wrote behind the status code. Empty on HTTP/2.
    public var reason: String { content.reason }
    public var version: HTTPVersion { content.version }
    public var headers: HTTPHeaders { content.headers }
    /// Fields that came behind a chunked body (RFC 9110 §6.5).
    public var trailers: HTTPHeaders { content.trailers }
    /// The content with content codings undone. Empty where it went to another destination than memory.
    public var body: Data { content.body }
    /// How many bytes were delivered, be it to `body` or to another destination.
    public var bodyByteCount: Int64 { content.bodyByteCount }
    public internal(set) var metrics: Metrics {
        get { content.metrics }
        set {
            self = Response(
                request: request, status: status, reason: reason, version: version, headers: headers,
                trailers: trailers, body: body, bodyByteCount: bodyByteCount, metrics: newValue, redirects: redirects,
                cacheStatus: cacheStatus)
        }
    }
    /// The redirects that led here, first one first.
    public var redirects: [RedirectHop] { content.redirects }

    /// What the cache around the client had to do with it; nil without one (`Interceptor.cache(_:)`).
    public var cacheStatus: CacheStatus? { content.cacheStatus }

    public var url: HTTPURL { request.url }

    /// The media type the server declared; nil when it declared none that can be read.
    public var mediaType: MediaType? { headers["Content-Type"].flatMap(MediaType.init) }
}

/// A redirect that was followed.
public struct RedirectHop: Sendable, Hashable {
    public let status: HTTPStatus
    /// The method of the request that was redirected.
    public let method: HTTPMethod
    /// Where the redirect came from.
    public let url: HTTPURL
    /// Where it pointed.
    public let location: HTTPURL

    public init(status: HTTPStatus, method: HTTPMethod = .get, url: HTTPURL, location: HTTPURL) {
        self.status = status
        self.method = method
        self.url = url
        self.location = location
    }
}

extension Response: CustomStringConvertible {
    /// The request line and what came of it, secrets masked.
    public var description: String {
        "\(request) → \(status)\(reason.isEmpty ? "" : " " + ASCII.printable(reason)), \(bodyByteCount) bytes"
    }
}

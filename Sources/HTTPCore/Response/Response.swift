#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A response, whole and finished: a value that never needs closing.
public struct Response: Sendable {
    /// The request that this answers: after redirects, the last one.
    public let request: Request
    public let status: HTTPStatus
    /// What the server wrote behind the status code. Empty on HTTP/2.
    public let reason: String
    public let version: HTTPVersion
    public let headers: HTTPHeaders
    /// Fields that came behind a chunked body (RFC 9110 §6.5).
    public let trailers: HTTPHeaders
    /// The content with content codings undone. Empty where it went to another destination than memory.
    public let body: Data
    /// How many bytes were delivered, be it to `body` or to another destination.
    public let bodyByteCount: Int64
    public internal(set) var metrics: Metrics
    /// The redirects that led here, first one first.
    public let redirects: [RedirectHop]

    public init(
        request: Request, status: HTTPStatus, reason: String = "", version: HTTPVersion = .http1_1,
        headers: HTTPHeaders = [:], trailers: HTTPHeaders = [:], body: Data = Data(), bodyByteCount: Int64? = nil,
        metrics: Metrics = Metrics(), redirects: [RedirectHop] = []
    ) {
        self.request = request
        self.status = status
        self.reason = reason
        self.version = version
        self.headers = headers
        self.trailers = trailers
        self.body = body
        self.bodyByteCount = bodyByteCount ?? Int64(body.count)
        self.metrics = metrics
        self.redirects = redirects
    }

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
        "\(request) → \(status)\(reason.isEmpty ? "" : " " + reason), \(bodyByteCount) bytes"
    }
}
